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

/// A heartbeat in the form in which [HeartbeatDocument] writes it: its fields in their order, plain
/// ASCII, nothing in between.
///
/// A roster has one for each process of a fleet, and a parser that makes a tree of it takes longer
/// than the store. So this form is read here; whatever is not in it, to the letter, is left to the
/// parser, which also says what is wrong with it.
final class FastHeartbeatParser {
  /// More may not fit into a long.
  private static final int MAX_DIGITS = 18;

  /// Never leaves this class, so nobody looks where it was thrown.
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

  /// Nothing if the text has another form.
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
    Map<KekVersion, LoadedVersion> loadedVersion = readLoaded(versions);
    long epoch = readNumber(",\"epoch\":");
    int protocol = FieldCodec.toInt(readNumber(",\"protocol\":"));
    String software = readPooledText(",\"version\":\"");
    Instant startedAt = InstantParser.parse(readText(",\"started_at\":\""));
    skipText(",\"last_heartbeat\":\"");
    expect("}");
    require(position == text.length());
    Host host = new Host(hostname, pid, pod, startedAt);
    ProcessInfo processInfo = new ProcessInfo(instance, run, role, software, host);
    return new Heartbeat(processInfo, loadedVersion, current, protocol, epoch, at);
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

  /// Two objects with a field for each version, of which the second may leave some out.
  private Map<KekVersion, LoadedVersion> readLoaded(List<KekVersion> versions) {
    expect(",\"providers\":{");
    String[] providers = new String[versions.size()];
    for (int i = 0; i < providers.length; i++) {
      require(skipFieldName(versions.get(i), i == 0));
      providers[i] = readPooledText("\"");
    }
    expect("},\"proofs\":{");
    Map<KekVersion, LoadedVersion> loadedVersion = HashMap.newHashMap(providers.length);
    boolean first = true;
    for (int i = 0; i < providers.length; i++) {
      KekVersion version = versions.get(i);
      boolean said = skipFieldName(version, first);
      LoadedVersion held = new LoadedVersion(providers[i], said ? proofStatus() : new Untried());
      require(loadedVersion.put(version, held) == null);
      first &= !said;
    }
    expect("}");
    return loadedVersion;
  }

  /// Whether the next field, behind a comma unless it is the first one, is this version's.
  private boolean skipFieldName(KekVersion version, boolean first) {
    int before = position;
    boolean named =
        skipIfNext(first ? "\"" : ",\"")
            && isDigit()
            && readDigits() == version.number()
            && skipIfNext("\":");
    position = named ? position : before;
    return named;
  }

  private ProofStatus proofStatus() {
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

  /// A text that many heartbeats share.
  private String readPooledText(String before) {
    int from = position + before.length();
    skipText(before);
    return pool.intern(text, from, position - 1);
  }

  /// Goes past a text and the quote that ends it.
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
    boolean there = text.startsWith(literal, position);
    position += there ? literal.length() : 0;
    return there;
  }

  private static void require(boolean usual) {
    if (!usual) {
      throw new UnexpectedForm();
    }
  }
}
