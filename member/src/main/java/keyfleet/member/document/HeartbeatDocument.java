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
import keyfleet.store.Document.Field;
import keyfleet.store.StoreTime;
import keyfleet.store.Value;
import org.jspecify.annotations.Nullable;

/// The JSON document of a heartbeat. The time of the heartbeat is that of the store's entry; a
/// store that keeps it in a field of its own calls it `last_heartbeat`. The nonce distinguishes two
/// heartbeats of the same content.
public final class HeartbeatDocument {
  private static final String FAILED = "failed";

  private HeartbeatDocument() {}

  public static Document toDocument(Heartbeat heartbeat, String nonce) {
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
    if (!heartbeat.keyFolder().isEmpty()) {
      document.text("key_folder", heartbeat.keyFolder());
    }
    return document
        .text("provider", provider(loadedVersions, current))
        .document("providers", providers(loadedVersions))
        .document("proofs", proofs(loadedVersions))
        .number("epoch", heartbeat.epoch())
        .number("protocol", heartbeat.protocol())
        .text("version", process.software())
        .text("started_at", host.startedAt().toString())
        .text("nonce", nonce)
        .build();
  }

  /// Throws [keyfleet.store.MalformedValueException] if a field is missing or has another form than
  /// [#toDocument] writes.
  public static Heartbeat parse(Value value, StoreTime at) {
    return Document.read(value, new Fields(toInstant(at)));
  }

  /// Store time as the `Instant` that the pure modules use. It is not a calendar date.
  public static Instant toInstant(StoreTime time) {
    return Instant.ofEpochMilli(time.millis());
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

  /// The fields of one heartbeat, in the order in which a text has them. A roster has one heartbeat
  /// for each process of a fleet, so none becomes a tree first.
  private static final class Fields implements Document.FieldCollector<Heartbeat> {
    private final Instant at;
    private @Nullable String instance;
    private @Nullable String run;
    private @Nullable String hostname;
    private @Nullable Long pid;
    private @Nullable String pod;
    private @Nullable String role;
    private @Nullable List<Long> loaded;
    private @Nullable KekVersion current;
    private @Nullable Document providers;
    private @Nullable Document proofs;
    private @Nullable Long epoch;
    private @Nullable Integer protocol;
    private @Nullable String software;
    private @Nullable Instant startedAt;
    private String keyFolder = "";

    private Fields(Instant at) {
      this.at = at;
    }

    @Override
    public void add(Field field) {
      switch (field.name()) {
        case "instance" -> instance = field.text();
        case "run" -> run = field.text();
        case "hostname" -> hostname = field.text();
        case "pid" -> pid = field.number();
        case "pod" -> pod = field.text();
        case "role" -> role = field.text();
        case "loaded_kek_versions" -> loaded = field.numbers();
        case "current_kek_version" -> current = FieldCodec.parseVersion(field.number());
        case "providers" -> providers = field.document();
        case "proofs" -> proofs = field.document();
        case "epoch" -> epoch = field.number();
        case "protocol" -> protocol = FieldCodec.toInt(field.number());
        case "version" -> software = field.text();
        case "key_folder" -> keyFolder = field.text();
        case "started_at" -> startedAt = InstantParser.parse(field.text());
        default -> {} // a newer version wrote it, or it is only for people
      }
    }

    @Override
    public Heartbeat build() {
      Host host =
          new Host(
              require("hostname", hostname),
              require("pid", pid),
              require("pod", pod),
              require("started_at", startedAt));
      ProcessInfo process =
          new ProcessInfo(
              require("instance", instance),
              require("run", run),
              require("role", role),
              require("version", software),
              host);
      return new Heartbeat(
          process,
          loadedVersions(),
          current,
          require("protocol", protocol),
          require("epoch", epoch),
          at,
          keyFolder);
    }

    private Map<KekVersion, LoadedVersion> loadedVersions() {
      Document knownProviders = require("providers", providers);
      Document knownProofs = require("proofs", proofs);
      Map<KekVersion, LoadedVersion> versions = new HashMap<>();
      for (long number : require("loaded_kek_versions", loaded)) {
        KekVersion version = FieldCodec.parseVersion(number);
        String digits = digits(version);
        ProofStatus status =
            knownProofs.has(digits) ? parseProof(knownProofs.text(digits)) : new Untried();
        versions.put(version, new LoadedVersion(knownProviders.text(digits), status));
      }
      return versions;
    }

    private static <T> T require(String name, @Nullable T value) {
      if (value == null) {
        throw new IllegalArgumentException("field " + name + " is missing");
      }
      return value;
    }
  }

  private static ProofStatus parseProof(String text) {
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
