package keyfleet.control.audit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.ReadinessGate.AnyProcesses;
import keyfleet.keyring.ReadinessGate.ExpectedProcesses;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionEntry;

/// The content of a keystore as a flat map of facts by name. The audit stores and hashes names and
/// texts, so they never change. A fact without a value is not in the map.
final class KeystoreFacts {
  /// Before there is a keystore.
  static final KeystoreFacts NONE = new KeystoreFacts(new TreeMap<>());

  private final SortedMap<String, String> byName;

  /// Keeps the map without a copy: a chain needs the facts for each of its entries.
  private KeystoreFacts(SortedMap<String, String> byName) {
    byName.values().removeIf(String::isEmpty);
    this.byName = byName;
  }

  static KeystoreFacts of(Keystore keystore) {
    SortedMap<String, String> facts = frequentlyChangedFacts(keystore);
    addIdentity(facts, keystore.identity());
    addTimings(facts, keystore.timings());
    Rotation.lastJob(keystore.rotation()).ifPresent(job -> addJob(facts, job));
    keystore.versions().forEach((version, entry) -> addVersion(facts, version, entry));
    keystore.activations().forEach(it -> addActivation(facts, it));
    return new KeystoreFacts(facts);
  }

  /// The differences between two keystores, by name. Parts that seldom change are converted only if
  /// they did.
  static List<AuditChange> changes(Keystore before, Keystore next) {
    return factsThatDiffer(before, next).changesTo(factsThatDiffer(next, before));
  }

  /// Leaves out parts that are equal in `other`.
  private static KeystoreFacts factsThatDiffer(Keystore keystore, Keystore other) {
    SortedMap<String, String> facts = frequentlyChangedFacts(keystore);
    if (!keystore.identity().equals(other.identity())) {
      addIdentity(facts, keystore.identity());
    }
    if (!keystore.timings().equals(other.timings())) {
      addTimings(facts, keystore.timings());
    }
    Optional<RotationJob> job = Rotation.lastJob(keystore.rotation());
    if (!job.equals(Rotation.lastJob(other.rotation()))) {
      job.ifPresent(it -> addJob(facts, it));
    }
    if (!keystore.activations().equals(other.activations())) {
      keystore.activations().forEach(it -> addActivation(facts, it));
    }
    keystore
        .versions()
        .forEach((version, entry) -> {
          if (!entry.equals(other.versions().get(version))) {
            addVersion(facts, version, entry);
          }
        });
    return new KeystoreFacts(facts);
  }

  private static SortedMap<String, String> frequentlyChangedFacts(Keystore keystore) {
    SortedMap<String, String> facts = new TreeMap<>();
    facts.put("epoch", Long.toString(keystore.epoch()));
    facts.put("active", keystore.active().toString());
    facts.put("writable", join(keystore.writable()));
    facts.put("rotation", phase(keystore.rotation()));
    if (keystore.rotation() instanceof Rotation.Blocked(_, long failedRecords)) {
      facts.put("rotation.failed_records", Long.toString(failedRecords));
    }
    return facts;
  }

  private static void addIdentity(SortedMap<String, String> facts, Keystore.Identity identity) {
    facts.put("id", identity.id());
    facts.put("incarnation", Long.toString(identity.incarnation()));
    facts.put("use", toText(identity.use()));
  }

  private static void addActivation(
      SortedMap<String, String> facts, Keystore.Activation activation) {
    facts.put("activation." + activation.epoch(), activation.version().toString());
  }

  private static void addTimings(SortedMap<String, String> facts, Timings timings) {
    facts.put("timing.heartbeat", timings.heartbeat().toString());
    facts.put("timing.fresh", timings.fresh().toString());
    facts.put("timing.lease", timings.lease().toString());
    facts.put("timing.expire", timings.expire().toString());
    facts.put("timing.adopt", timings.adopt().toString());
  }

  private static void addVersion(
      SortedMap<String, String> facts, KekVersion version, VersionEntry entry) {
    facts.put(version + ".provider", entry.provider());
    facts.put(version + ".sentinel", AuditHash.of(entry.sentinel().envelope().toBytes()));
    facts.put(version + ".state", toText(entry.state()));
    facts.put(version + ".trust", toText(entry.trust()));
    facts.put(version + ".attested", String.join(", ", entry.attestedClusters()));
  }

  private static void addJob(SortedMap<String, String> facts, RotationJob job) {
    facts.put("rotation.id", job.id().value());
    facts.put("rotation.kind", toText(job.kind()));
    facts.put("rotation.from", job.from().toString());
    facts.put("rotation.to", job.to().toString());
    facts.put("rotation.expected", expected(job.expectedProcesses()));
    facts.put("rotation.course", toText(job.course()));
    facts.put("rotation.driver", job.driver());
  }

  /// Empty for any processes, as in entries that are older than expected processes.
  private static String expected(ExpectedProcesses expectedProcesses) {
    return expectedProcesses instanceof AnyProcesses ? "" : expectedProcesses.description();
  }

  private static String phase(Rotation rotation) {
    return rotation instanceof Rotation.Paused
        ? "paused while " + rotation.phase()
        : rotation.phase();
  }

  private static String join(Iterable<KekVersion> versions) {
    List<String> texts = new ArrayList<>();
    versions.forEach(it -> texts.add(it.toString()));
    return String.join(", ", texts);
  }

  private static String toText(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// The differences, by name.
  List<AuditChange> changesTo(KeystoreFacts next) {
    SortedMap<String, AuditChange> changes = new TreeMap<>();
    next.byName.forEach((name, after) -> {
      if (!after.equals(byName.get(name))) {
        changes.put(name, new AuditChange(name, fact(name), after));
      }
    });
    byName.forEach((name, before) -> {
      if (!next.byName.containsKey(name)) {
        changes.put(name, new AuditChange(name, before, ""));
      }
    });
    return List.copyOf(changes.values());
  }

  /// The facts after the changes. Empty if a change starts from another value than these facts
  /// have.
  Optional<KeystoreFacts> after(List<AuditChange> changes) {
    SortedMap<String, String> facts = new TreeMap<>(byName);
    for (AuditChange change : changes) {
      if (!fact(change.name()).equals(change.before())) {
        return Optional.empty();
      }
      facts.put(change.name(), change.after());
    }
    return Optional.of(new KeystoreFacts(facts));
  }

  private String fact(String name) {
    return byName.getOrDefault(name, "");
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeystoreFacts that && byName.equals(that.byName);
  }

  @Override
  public int hashCode() {
    return byName.hashCode();
  }

  @Override
  public String toString() {
    return byName.toString();
  }
}
