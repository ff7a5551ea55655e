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
  private final StringPool common;
  private int next;

  private FastHeartbeatParser(String text, StringPool common) {
    this.text = text;
    this.common = common;
  }

  /// Throws [keyfleet.store.MalformedValueException] as [HeartbeatDocument#read] does.
  static Heartbeat read(Value value, StoreTime at, StringPool common) {
    return usual(value.text(), at, common)
        .orElseGet(() -> HeartbeatDocument.read(Document.parse(value), at, common));
  }

  /// Nothing if the text has another form.
  static Optional<Heartbeat> usual(String text, StoreTime at, StringPool common) {
    try {
      Instant instant = HeartbeatDocument.instant(at);
      return Optional.of(new FastHeartbeatParser(text, common).heartbeat(instant));
    } catch (UnexpectedForm | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private Heartbeat heartbeat(Instant at) {
    String instance = text("{\"instance\":\"");
    String run = text(",\"run\":\"");
    String hostname = text(",\"hostname\":\"");
    long pid = number(",\"pid\":");
    String pod = common(",\"pod\":\"");
    String role = common(",\"role\":\"");
    List<KekVersion> versions = versions();
    KekVersion current = skips(",\"current_kek_version\":") ? common.version(digits()) : null;
    plain(",\"provider\":\"");
    Map<KekVersion, LoadedVersion> loadedVersion = loaded(versions);
    long epoch = number(",\"epoch\":");
    int protocol = FieldCodec.int32(number(",\"protocol\":"));
    String software = common(",\"version\":\"");
    Instant startedAt = InstantParser.parse(text(",\"started_at\":\""));
    plain(",\"last_heartbeat\":\"");
    expect("}");
    require(next == text.length());
    Host host = new Host(hostname, pid, pod, startedAt);
    ProcessInfo processInfo = new ProcessInfo(instance, run, role, software, host);
    return new Heartbeat(processInfo, loadedVersion, current, protocol, epoch, at);
  }

  private List<KekVersion> versions() {
    expect(",\"loaded_kek_versions\":[");
    List<KekVersion> versions = new ArrayList<>(4);
    while (!skips("]")) {
      if (!versions.isEmpty()) {
        expect(",");
      }
      versions.add(common.version(digits()));
    }
    return versions;
  }

  /// Two objects with a field for each version, of which the second may leave some out.
  private Map<KekVersion, LoadedVersion> loaded(List<KekVersion> versions) {
    expect(",\"providers\":{");
    String[] providers = new String[versions.size()];
    for (int i = 0; i < providers.length; i++) {
      require(names(versions.get(i), i == 0));
      providers[i] = common("\"");
    }
    expect("},\"proofs\":{");
    Map<KekVersion, LoadedVersion> loadedVersion = HashMap.newHashMap(providers.length);
    boolean first = true;
    for (int i = 0; i < providers.length; i++) {
      KekVersion version = versions.get(i);
      boolean said = names(version, first);
      LoadedVersion held = new LoadedVersion(providers[i], said ? proofStatus() : new Untried());
      require(loadedVersion.put(version, held) == null);
      first &= !said;
    }
    expect("}");
    return loadedVersion;
  }

  /// Whether the next field, behind a comma unless it is the first one, is this version's.
  private boolean names(KekVersion version, boolean first) {
    int before = next;
    boolean named =
        skips(first ? "\"" : ",\"") && isDigit() && digits() == version.number() && skips("\":");
    next = named ? next : before;
    return named;
  }

  private ProofStatus proofStatus() {
    expect("\"");
    int end = next + Proof.LENGTH;
    Optional<Proof> proof =
        end < text.length() && text.charAt(end) == '"' ? Proof.parse(text, next) : Optional.empty();
    if (proof.isEmpty()) {
      return HeartbeatDocument.word(text(""));
    }
    next = end + 1;
    return new Proved(proof.get());
  }

  private String text(String before) {
    int from = next + before.length();
    plain(before);
    return text.substring(from, next - 1);
  }

  /// A text that many heartbeats share.
  private String common(String before) {
    int from = next + before.length();
    plain(before);
    return common.text(text, from, next - 1);
  }

  /// Goes past a text and the quote that ends it.
  private void plain(String before) {
    expect(before);
    int end = text.indexOf('"', next);
    require(end >= 0);
    for (int i = next; i < end; i++) {
      char c = text.charAt(i);
      require(c >= ' ' && c <= '~' && c != '\\');
    }
    next = end + 1;
  }

  private long number(String before) {
    expect(before);
    return digits();
  }

  private long digits() {
    int start = next;
    long number = 0;
    while (isDigit()) {
      number = 10 * number + text.charAt(next) - '0';
      next++;
      require(next - start <= MAX_DIGITS);
    }
    require(next > start && (text.charAt(start) != '0' || next == start + 1));
    return number;
  }

  private boolean isDigit() {
    return next < text.length() && text.charAt(next) >= '0' && text.charAt(next) <= '9';
  }

  private void expect(String literal) {
    require(skips(literal));
  }

  private boolean skips(String literal) {
    boolean there = text.startsWith(literal, next);
    next += there ? literal.length() : 0;
    return there;
  }

  private static void require(boolean usual) {
    if (!usual) {
      throw new UnexpectedForm();
    }
  }
}
