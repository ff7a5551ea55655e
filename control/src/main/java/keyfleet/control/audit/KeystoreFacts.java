package keyfleet.control.audit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.FleetReadiness.AnyProcesses;
import keyfleet.keyring.FleetReadiness.ExpectedProcesses;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionEntry;

/// Everything that a keystore says, each fact under its name. No fact is empty: one that is not
/// there is none.
final class KeystoreFacts {
  /// Before there is a keystore.
  static final KeystoreFacts NONE = new KeystoreFacts(new TreeMap<>());

  private final SortedMap<String, String> byName;

  /// Takes the map over: a chain has facts for each of its entries, and copies none twice.
  private KeystoreFacts(SortedMap<String, String> byName) {
    byName.values().removeIf(String::isEmpty);
    this.byName = byName;
  }

  static KeystoreFacts of(Keystore keystore) {
    SortedMap<String, String> facts = frequentlyChangedFacts(keystore);
    addIdentity(facts, keystore.identity());
    addTimings(facts, keystore.timings());
    Rotation.lastJob(keystore.rotation()).ifPresent(rotationJob -> addJob(facts, rotationJob));
    keystore.versions().forEach((version, keyVersion) -> addVersion(facts, version, keyVersion));
    keystore.activations().forEach(it -> addActivation(facts, it));
    return new KeystoreFacts(facts);
  }

  /// What became different between two keystores, in the order of the names. What mostly stays as
  /// it was is spelled only if it did not.
  static List<AuditChange> changes(Keystore before, Keystore next) {
    return factsThatDiffer(before, next).changesTo(factsThatDiffer(next, before));
  }

  /// Some facts that `other` has as well are left out.
  private static KeystoreFacts factsThatDiffer(Keystore keystore, Keystore other) {
    SortedMap<String, String> facts = frequentlyChangedFacts(keystore);
    if (!keystore.identity().equals(other.identity())) {
      addIdentity(facts, keystore.identity());
    }
    if (!keystore.timings().equals(other.timings())) {
      addTimings(facts, keystore.timings());
    }
    Optional<RotationJob> rotationJob = Rotation.lastJob(keystore.rotation());
    if (!rotationJob.equals(Rotation.lastJob(other.rotation()))) {
      rotationJob.ifPresent(it -> addJob(facts, it));
    }
    if (!keystore.activations().equals(other.activations())) {
      keystore.activations().forEach(it -> addActivation(facts, it));
    }
    keystore
        .versions()
        .forEach((version, keyVersion) -> {
          if (!keyVersion.equals(other.versions().get(version))) {
            addVersion(facts, version, keyVersion);
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
      SortedMap<String, String> facts, KekVersion version, VersionEntry keyVersion) {
    facts.put(version + ".provider", keyVersion.provider());
    facts.put(version + ".sentinel", AuditHash.of(keyVersion.sentinel().envelope().toBytes()));
    facts.put(version + ".state", toText(keyVersion.state()));
    facts.put(version + ".trust", toText(keyVersion.trust()));
  }

  private static void addJob(SortedMap<String, String> facts, RotationJob rotationJob) {
    facts.put("rotation.id", rotationJob.id().value());
    facts.put("rotation.kind", toText(rotationJob.kind()));
    facts.put("rotation.from", rotationJob.from().toString());
    facts.put("rotation.to", rotationJob.to().toString());
    facts.put("rotation.expected", expected(rotationJob.expectedProcesses()));
    facts.put("rotation.course", toText(rotationJob.course()));
    facts.put("rotation.driver", rotationJob.driver());
  }

  /// Entries from before there was such a thing say nothing of it.
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

  /// What became different, in the order of the names.
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

  /// The facts after the changes. Nothing if they do not fit: some began with another fact.
  Optional<KeystoreFacts> after(List<AuditChange> changes) {
    SortedMap<String, String> facts = new TreeMap<>(byName);
    for (AuditChange change : changes) {
      if (change.isKeystoreChange()) {
        if (!fact(change.name()).equals(change.before())) {
          return Optional.empty();
        }
        facts.put(change.name(), change.after());
      }
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
