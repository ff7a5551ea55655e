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

/// The JSON document of a heartbeat. The time of the heartbeat is the store's, not the document's.
/// `last_heartbeat` is a counter of the run's heartbeats, so that no two documents are equal.
public final class HeartbeatDocument {
  private static final String FAILED = "failed";

  private HeartbeatDocument() {}

  public static Document toDocument(Heartbeat heartbeat, String number) {
    ProcessInfo process = heartbeat.process();
    Host host = process.host();
    Map<KekVersion, LoadedVersion> loadedVersions = new TreeMap<>(heartbeat.loadedVersions());
    Document.Builder document =
        Document.builder()
            .text("instance", process.instance())
            .text("run", process.run())
            .text("hostname", host.name())
            .number("pid", host.pid())
            .text("pod", host.pod())
            .text("role", process.role())
            .numbers(
                "loaded_kek_versions",
                loadedVersions.keySet().stream().map(it -> (long) it.number()).toList());
    KekVersion current = heartbeat.current();
    if (current != null) {
      document.number("current_kek_version", current.number());
    }
    return document
        .text("provider", provider(loadedVersions, current))
        .document("providers", providers(loadedVersions))
        .document("proofs", proofs(loadedVersions))
        .number("epoch", heartbeat.epoch())
        .number("protocol", heartbeat.protocol())
        .text("version", process.software())
        .text("started_at", host.startedAt().toString())
        .text("last_heartbeat", number)
        .build();
  }

  /// Throws [keyfleet.store.MalformedValueException] if a field is missing or has another form than
  /// [#toDocument] writes.
  public static Heartbeat parse(Document document, StoreTime at) {
    return parse(document, at, new StringPool());
  }

  static Heartbeat parse(Document document, StoreTime at, StringPool pool) {
    return document.as(it -> parseFields(it, toInstant(at), pool));
  }

  /// Store time as the `Instant` that the pure modules use. It is not a calendar date.
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
    ProcessInfo process =
        new ProcessInfo(
            document.text("instance"),
            document.text("run"),
            pool.intern(document.text("role")),
            pool.intern(document.text("version")),
            host);
    return new Heartbeat(
        process,
        loaded(document, pool),
        document.has("current_kek_version")
            ? pool.version(document.number("current_kek_version"))
            : null,
        FieldCodec.toInt(document.number("protocol")),
        document.number("epoch"),
        at);
  }

  /// The provider of the current version, which people look for first.
  private static String provider(
      Map<KekVersion, LoadedVersion> loadedVersions, @Nullable KekVersion current) {
    LoadedVersion loaded = current == null ? null : loadedVersions.get(current);
    return loaded == null ? "" : loaded.provider();
  }

  private static Document providers(Map<KekVersion, LoadedVersion> loadedVersions) {
    Document.Builder all = Document.builder();
    loadedVersions.forEach((version, loaded) -> all.text(digits(version), loaded.provider()));
    return all.build();
  }

  private static Document proofs(Map<KekVersion, LoadedVersion> loadedVersions) {
    Document.Builder all = Document.builder();
    loadedVersions.forEach((version, loaded) -> {
      switch (loaded.proofStatus()) {
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
    Map<KekVersion, LoadedVersion> loadedVersions = new HashMap<>();
    for (long number : numbers) {
      KekVersion version = pool.version(number);
      String digits = digits(version);
      ProofStatus status = proofs.has(digits) ? parseProof(proofs.text(digits)) : new Untried();
      loadedVersions.put(version, new LoadedVersion(pool.intern(providers.text(digits)), status));
    }
    return loadedVersions;
  }

  static ProofStatus parseProof(String text) {
    return text.equals(FAILED)
        ? new Failed()
        : new Proved(
            Proof.parse(text)
                .orElseThrow(
                    () -> new IllegalArgumentException("the proof is not 32 bytes in hex")));
  }

  private static String digits(KekVersion version) {
    return Integer.toString(version.number());
  }
}
