package keyfleet.member.document;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.Proof;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Heartbeat.Host;
import keyfleet.keyring.Heartbeat.LoadedVersion;
import keyfleet.keyring.Heartbeat.ProcessInfo;
import keyfleet.keyring.Heartbeat.ProofStatus;
import keyfleet.keyring.Heartbeat.Proved;
import keyfleet.keyring.Heartbeat.Untried;
import keyfleet.store.Document;
import keyfleet.store.StoreTime;
import keyfleet.store.Value;

/// Parses a heartbeat in exactly the form that [HeartbeatDocument] writes: the fields in its order,
/// plain ASCII, no white space.
///
/// A roster has one heartbeat for each process of a fleet, and a parser that builds a tree takes
/// longer than the store. Any other form goes to the general parser, which also reports what is
/// wrong with it.
final class FastHeartbeatParser {
  /// The most digits that always fit into a long.
  private static final int MAX_DIGITS = 18;

  /// Never leaves this class, so it has no stack trace.
  private static final class UnexpectedForm extends RuntimeException {
    private static final long serialVersionUID = 1;

    private UnexpectedForm() {
      super("not in the usual form", null, false, false);
    }
  }

  private final String text;
  private final StringPool pool;
  private int position;

  private FastHeartbeatParser(String text, StringPool pool) {
    this.text = text;
    this.pool = pool;
  }

  /// Throws [keyfleet.store.MalformedValueException] as [HeartbeatDocument#parse] does.
  static Heartbeat parse(Value value, StoreTime at, StringPool pool) {
    return parseUsualForm(value.text(), at, pool)
        .orElseGet(() -> HeartbeatDocument.parse(Document.parse(value), at, pool));
  }

  /// Returns nothing if the text has another form.
  static Optional<Heartbeat> parseUsualForm(String text, StoreTime at, StringPool pool) {
    try {
      Instant instant = HeartbeatDocument.toInstant(at);
      return Optional.of(new FastHeartbeatParser(text, pool).readHeartbeat(instant));
    } catch (UnexpectedForm | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private Heartbeat readHeartbeat(Instant at) {
    String instance = readText("{\"instance\":\"");
    String run = readText(",\"run\":\"");
    String hostname = readText(",\"hostname\":\"");
    long pid = readNumber(",\"pid\":");
    String pod = readPooledText(",\"pod\":\"");
    String role = readPooledText(",\"role\":\"");
    List<KekVersion> versions = readVersions();
    KekVersion current =
        skipIfNext(",\"current_kek_version\":") ? pool.version(readDigits()) : null;
    skipText(",\"provider\":\"");
    Map<KekVersion, LoadedVersion> loaded = readLoaded(versions);
    long epoch = readNumber(",\"epoch\":");
    int protocol = FieldCodec.toInt(readNumber(",\"protocol\":"));
    String software = readPooledText(",\"version\":\"");
    Instant startedAt = InstantParser.parse(readText(",\"started_at\":\""));
    skipText(",\"last_heartbeat\":\"");
    expect("}");
    require(position == text.length());
    Host host = new Host(hostname, pid, pod, startedAt);
    ProcessInfo process = new ProcessInfo(instance, run, role, software, host);
    return new Heartbeat(process, loaded, current, protocol, epoch, at);
  }

  private List<KekVersion> readVersions() {
    expect(",\"loaded_kek_versions\":[");
    List<KekVersion> versions = new ArrayList<>(4);
    while (!skipIfNext("]")) {
      if (!versions.isEmpty()) {
        expect(",");
      }
      versions.add(pool.version(readDigits()));
    }
    return versions;
  }

  /// Reads two objects with a field for each version. The second object may omit versions.
  private Map<KekVersion, LoadedVersion> readLoaded(List<KekVersion> versions) {
    expect(",\"providers\":{");
    String[] providers = new String[versions.size()];
    for (int i = 0; i < providers.length; i++) {
      require(skipFieldName(versions.get(i), i == 0));
      providers[i] = readPooledText("\"");
    }
    expect("},\"proofs\":{");
    Map<KekVersion, LoadedVersion> loaded = HashMap.newHashMap(providers.length);
    boolean first = true;
    for (int i = 0; i < providers.length; i++) {
      KekVersion version = versions.get(i);
      boolean hasProof = skipFieldName(version, first);
      LoadedVersion loadedVersion =
          new LoadedVersion(providers[i], hasProof ? readProof() : new Untried());
      require(loaded.put(version, loadedVersion) == null);
      first &= !hasProof;
    }
    expect("}");
    return loaded;
  }

  /// Moves past the name of this version's field, and the comma before it unless it is the first
  /// field. Returns false if another field follows.
  private boolean skipFieldName(KekVersion version, boolean first) {
    int before = position;
    boolean isNext =
        skipIfNext(first ? "\"" : ",\"")
            && isDigit()
            && readDigits() == version.number()
            && skipIfNext("\":");
    position = isNext ? position : before;
    return isNext;
  }

  private ProofStatus readProof() {
    expect("\"");
    int end = position + Proof.LENGTH;
    Optional<Proof> proof =
        end < text.length() && text.charAt(end) == '"'
            ? Proof.parse(text, position)
            : Optional.empty();
    if (proof.isEmpty()) {
      return HeartbeatDocument.parseProof(readText(""));
    }
    position = end + 1;
    return new Proved(proof.get());
  }

  private String readText(String before) {
    int from = position + before.length();
    skipText(before);
    return text.substring(from, position - 1);
  }

  /// Reads a text that many heartbeats share.
  private String readPooledText(String before) {
    int from = position + before.length();
    skipText(before);
    return pool.intern(text, from, position - 1);
  }

  /// Moves past a text and its closing quote.
  private void skipText(String before) {
    expect(before);
    int end = text.indexOf('"', position);
    require(end >= 0);
    for (int i = position; i < end; i++) {
      char c = text.charAt(i);
      require(c >= ' ' && c <= '~' && c != '\\');
    }
    position = end + 1;
  }

  private long readNumber(String before) {
    expect(before);
    return readDigits();
  }

  private long readDigits() {
    int start = position;
    long number = 0;
    while (isDigit()) {
      number = 10 * number + text.charAt(position) - '0';
      position++;
      require(position - start <= MAX_DIGITS);
    }
    require(position > start && (text.charAt(start) != '0' || position == start + 1));
    return number;
  }

  private boolean isDigit() {
    return position < text.length() && text.charAt(position) >= '0' && text.charAt(position) <= '9';
  }

  private void expect(String literal) {
    require(skipIfNext(literal));
  }

  private boolean skipIfNext(String literal) {
    boolean found = text.startsWith(literal, position);
    position += found ? literal.length() : 0;
    return found;
  }

  private static void require(boolean usual) {
    if (!usual) {
      throw new UnexpectedForm();
    }
  }
}
