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
    SortedMap<String, String> facts = frequent(keystore);
    identity(facts, keystore.identity());
    timings(facts, keystore.timings());
    Rotation.lastJob(keystore.rotation()).ifPresent(rotationJob -> job(facts, rotationJob));
    keystore.versions().forEach((version, known) -> version(facts, version, known));
    keystore.activations().forEach(it -> activation(facts, it));
    return new KeystoreFacts(facts);
  }

  /// What became different between two keystores, in the order of the names. What mostly stays as
  /// it was is spelled only if it did not.
  static List<AuditChange> changes(Keystore before, Keystore next) {
    return except(before, next).changesTo(except(next, before));
  }

  /// Some facts that `other` has as well are left out.
  private static KeystoreFacts except(Keystore keystore, Keystore other) {
    SortedMap<String, String> facts = frequent(keystore);
    if (!keystore.identity().equals(other.identity())) {
      identity(facts, keystore.identity());
    }
    if (!keystore.timings().equals(other.timings())) {
      timings(facts, keystore.timings());
    }
    Optional<RotationJob> rotationJob = Rotation.lastJob(keystore.rotation());
    if (!rotationJob.equals(Rotation.lastJob(other.rotation()))) {
      rotationJob.ifPresent(it -> job(facts, it));
    }
    if (!keystore.activations().equals(other.activations())) {
      keystore.activations().forEach(it -> activation(facts, it));
    }
    keystore
        .versions()
        .forEach((version, known) -> {
          if (!known.equals(other.versions().get(version))) {
            version(facts, version, known);
          }
        });
    return new KeystoreFacts(facts);
  }

  private static SortedMap<String, String> frequent(Keystore keystore) {
    SortedMap<String, String> facts = new TreeMap<>();
    facts.put("epoch", Long.toString(keystore.epoch()));
    facts.put("active", keystore.active().toString());
    facts.put("writable", joined(keystore.writable()));
    facts.put("rotation", phase(keystore.rotation()));
    if (keystore.rotation() instanceof Rotation.Blocked(_, long failedRecords)) {
      facts.put("rotation.failed_records", Long.toString(failedRecords));
    }
    return facts;
  }

  private static void identity(SortedMap<String, String> facts, Keystore.Identity identity) {
    facts.put("id", identity.id());
    facts.put("incarnation", Long.toString(identity.incarnation()));
    facts.put("use", word(identity.use()));
  }

  private static void activation(SortedMap<String, String> facts, Keystore.Activation one) {
    facts.put("activation." + one.epoch(), one.version().toString());
  }

  private static void timings(SortedMap<String, String> facts, Timings timings) {
    facts.put("timing.heartbeat", timings.heartbeat().toString());
    facts.put("timing.fresh", timings.fresh().toString());
    facts.put("timing.lease", timings.lease().toString());
    facts.put("timing.expire", timings.expire().toString());
    facts.put("timing.adopt", timings.adopt().toString());
  }

  private static void version(
      SortedMap<String, String> facts, KekVersion version, VersionEntry known) {
    facts.put(version + ".provider", known.provider());
    facts.put(version + ".sentinel", AuditHash.of(known.sentinel().envelope().toBytes()));
    facts.put(version + ".state", word(known.state()));
    facts.put(version + ".trust", word(known.trust()));
  }

  private static void job(SortedMap<String, String> facts, RotationJob rotationJob) {
    facts.put("rotation.id", rotationJob.id().value());
    facts.put("rotation.kind", word(rotationJob.kind()));
    facts.put("rotation.from", rotationJob.from().toString());
    facts.put("rotation.to", rotationJob.to().toString());
    facts.put("rotation.expected", expected(rotationJob.expectedProcesses()));
    facts.put("rotation.course", word(rotationJob.course()));
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

  private static String joined(Iterable<KekVersion> versions) {
    List<String> words = new ArrayList<>();
    versions.forEach(it -> words.add(it.toString()));
    return String.join(", ", words);
  }

  private static String word(Enum<?> constant) {
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
      if (change.isFact()) {
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
