package keyfleet.member.document;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.Proof;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Heartbeat.Failed;
import keyfleet.keyring.Heartbeat.Host;
import keyfleet.keyring.Heartbeat.LoadedVersion;
import keyfleet.keyring.Heartbeat.ProcessInfo;
import keyfleet.keyring.Heartbeat.ProofStatus;
import keyfleet.keyring.Heartbeat.Proved;
import keyfleet.keyring.Heartbeat.Untried;
import keyfleet.store.Document;
import keyfleet.store.StoreTime;
import org.jspecify.annotations.Nullable;

/// A heartbeat as it is stored. When it was written is the store's word, not the document's:
/// `last_heartbeat` numbers the beats of one run, so that no two are alike.
public final class HeartbeatDocument {
  private static final String FAILED = "failed";

  private HeartbeatDocument() {}

  public static Document toDocument(Heartbeat beat, String number) {
    ProcessInfo processInfo = beat.process();
    Host host = processInfo.host();
    Map<KekVersion, LoadedVersion> loadedVersion = new TreeMap<>(beat.loadedVersion());
    Document.Builder document =
        Document.builder()
            .text("instance", processInfo.instance())
            .text("run", processInfo.run())
            .text("hostname", host.name())
            .number("pid", host.pid())
            .text("pod", host.pod())
            .text("role", processInfo.role())
            .numbers(
                "loaded_kek_versions",
                loadedVersion.keySet().stream().map(it -> (long) it.number()).toList());
    KekVersion current = beat.current();
    if (current != null) {
      document.number("current_kek_version", current.number());
    }
    return document
        .text("provider", provider(loadedVersion, current))
        .document("providers", providers(loadedVersion))
        .document("proofs", proofs(loadedVersion))
        .number("epoch", beat.epoch())
        .number("protocol", beat.protocol())
        .text("version", processInfo.software())
        .text("started_at", host.startedAt().toString())
        .text("last_heartbeat", number)
        .build();
  }

  /// Throws [keyfleet.store.MalformedValueException] if a field is missing or not as written above.
  public static Heartbeat parse(Document document, StoreTime at) {
    return parse(document, at, new StringPool());
  }

  static Heartbeat parse(Document document, StoreTime at, StringPool pool) {
    return document.as(it -> parseFields(it, toInstant(at), pool));
  }

  /// Store time in the form in which the pure rooms take it. It is no date.
  public static Instant toInstant(StoreTime time) {
    return Instant.ofEpochMilli(time.millis());
  }

  private static Heartbeat parseFields(Document document, Instant at, StringPool pool) {
    Host host =
        new Host(
            document.text("hostname"),
            document.number("pid"),
            pool.intern(document.text("pod")),
            InstantParser.parse(document.text("started_at")));
    ProcessInfo processInfo =
        new ProcessInfo(
            document.text("instance"),
            document.text("run"),
            pool.intern(document.text("role")),
            pool.intern(document.text("version")),
            host);
    return new Heartbeat(
        processInfo,
        loaded(document, pool),
        document.has("current_kek_version")
            ? pool.version(document.number("current_kek_version"))
            : null,
        FieldCodec.toInt(document.number("protocol")),
        document.number("epoch"),
        at);
  }

  /// That of the current version: what people look for first.
  private static String provider(
      Map<KekVersion, LoadedVersion> loadedVersion, @Nullable KekVersion current) {
    LoadedVersion held = current == null ? null : loadedVersion.get(current);
    return held == null ? "" : held.provider();
  }

  private static Document providers(Map<KekVersion, LoadedVersion> loadedVersion) {
    Document.Builder all = Document.builder();
    loadedVersion.forEach((version, held) -> all.text(digits(version), held.provider()));
    return all.build();
  }

  private static Document proofs(Map<KekVersion, LoadedVersion> loadedVersion) {
    Document.Builder all = Document.builder();
    loadedVersion.forEach((version, held) -> {
      switch (held.proofStatus()) {
        case Proved(Proof proof) -> all.text(digits(version), proof.toString());
        case Failed() -> all.text(digits(version), FAILED);
        case Untried() -> {}
      }
    });
    return all.build();
  }

  private static Map<KekVersion, LoadedVersion> loaded(Document document, StringPool pool) {
    Document providers = document.document("providers");
    Document proofs = document.document("proofs");
    List<Long> numbers = document.numbers("loaded_kek_versions");
    Map<KekVersion, LoadedVersion> loadedVersion = new HashMap<>();
    for (long number : numbers) {
      KekVersion version = pool.version(number);
      String digits = digits(version);
      ProofStatus proofStatus =
          proofs.has(digits) ? parseProof(proofs.text(digits)) : new Untried();
      loadedVersion.put(
          version, new LoadedVersion(pool.intern(providers.text(digits)), proofStatus));
    }
    return loadedVersion;
  }

  static ProofStatus parseProof(String text) {
    return text.equals(FAILED)
        ? new Failed()
        : new Proved(
            Proof.parse(text)
                .orElseThrow(() -> new IllegalArgumentException("a proof is no 32 bytes in hex")));
  }

  private static String digits(KekVersion version) {
    return Integer.toString(version.number());
  }
}
