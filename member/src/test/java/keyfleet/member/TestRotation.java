package keyfleet.member;

import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.FieldLocation;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.RewrapResult.Rewrapped;
import keyfleet.crypto.Sentinel;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.RotationEvent;
import keyfleet.keyring.RotationId;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionState;
import keyfleet.member.document.KeystoreStore;
import keyfleet.member.document.KeystoreStore.StoredKeystore;
import keyfleet.store.Bytes;
import keyfleet.store.FakeRecords;
import keyfleet.store.Fence;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;
import keyfleet.store.WriteOutcome;

/// Does to the keys of a [TestFleet] what an operator and a driver do, one step at a time. It
/// checks no gate: a test may flip while a process is not ready.
public final class TestRotation {
  private static final int PAGE = 100;

  private final TestFleet fleet;
  private final Timings timings;
  private final SecureRandom random;
  private int nonces;

  TestRotation(TestFleet fleet, Timings timings, SecureRandom random) {
    this.fleet = fleet;
    this.timings = timings;
    this.random = random;
  }

  Timings timings() {
    return timings;
  }

  /// Reaches the store even while the engine is disconnected.
  private KeystoreStore keystoreStore() {
    return new KeystoreStore(fleet.engine().inner(), fleet.keyring(), () -> "test-" + nonces++);
  }

  public Keystore keystore() {
    return storedKeystore().keystore();
  }

  private StoredKeystore storedKeystore() {
    return keystoreStore().read().orElseThrow(() -> new IllegalStateException("no keystore yet"));
  }

  /// Announces a version. Version 1 creates the keystore.
  public void announce(int version) {
    if (version == 1) {
      bootstrap(Keystore.Use.RECORDS);
    } else {
      StoredKeystore stored = storedKeystore();
      write(stored, stored.keystore().announce(new KekVersion(version), versionEntry(version)));
    }
  }

  void bootstrap(Keystore.Use use) {
    var identity = new Keystore.Identity("test", 1, use);
    check(keystoreStore().create(Keystore.bootstrap(identity, versionEntry(1), timings)));
  }

  private VersionEntry versionEntry(int version) {
    Sentinel sentinel =
        Sentinel.create(cipher(version), new KekVersion(version), random).orElseThrow();
    return new VersionEntry(TestFleet.PROVIDER, sentinel, VersionState.ANNOUNCED);
  }

  /// Stages a version. From now on a process that has not proved it may not seal.
  public void stage(int version) {
    RotationId id = new RotationId("test-rotation-" + version);
    decide(
        new RotationEvent.StartRequested(
            id, keystore().active(), new KekVersion(version), "test-driver"));
  }

  /// Makes the staged version active, in a new epoch. Records do not change.
  public void flip() {
    decide(new RotationEvent.GatePassed(rotationEpoch()));
    decide(new RotationEvent.FencesOpened(rotationEpoch()));
    decide(new RotationEvent.RewrapEnded(rotationEpoch()));
  }

  /// Fences the collections, moves every record in the store to the active version, and completes
  /// the rotation.
  public void complete() {
    decide(new RotationEvent.Settled(rotationEpoch()));
    Keystore keystore = keystore();
    Fence.Term term = new Fence.Term(keystore.identity().incarnation(), keystore.epoch());
    fleet
        .engine()
        .collections()
        .forEach((name, records) -> {
          records.fence(Fence.of(term, Set.of(keystore.active())));
          keystore.versions().keySet().stream()
              .filter(it -> !it.equals(keystore.active()))
              .forEach(old -> sweep(name, records, old));
        });
    decide(new RotationEvent.Fenced(rotationEpoch()));
    decide(new RotationEvent.SweepEnded(rotationEpoch()));
    decide(new RotationEvent.Proved(rotationEpoch()));
  }

  private void sweep(String collection, FakeRecords records, KekVersion old) {
    KekVersion active = keystore().active();
    EnvelopeCipher cipher = cipher(old.number(), active.number());
    List<StoredRecord> page = records.scan(old, PAGE);
    while (!page.isEmpty()) {
      page.forEach(record -> {
        Map<String, Bytes> moved = new TreeMap<>();
        record
            .fields()
            .byName()
            .forEach((field, bytes) -> {
              FieldLocation location = new FieldLocation(collection, record.id().value(), field);
              moved.put(field, rewrap(cipher, location, bytes, active));
            });
        RecordWriteResult write =
            records.compareAndSet(new RecordChange(record, SealedFields.of(moved)));
        if (!(write instanceof RecordWriteResult.Stored)) {
          throw new IllegalStateException(record.id() + " was not moved: " + write);
        }
      });
      page = records.scan(old, PAGE);
    }
  }

  private static Bytes rewrap(
      EnvelopeCipher cipher, FieldLocation location, Bytes bytes, KekVersion active) {
    Envelope envelope = Envelope.parse(bytes.toArray()).orElseThrow();
    return cipher.rewrap(location, envelope, active) instanceof Rewrapped(Envelope next)
        ? Bytes.copyOf(next.toBytes())
        : bytes;
  }

  private EnvelopeCipher cipher(int... versions) {
    return new EnvelopeCipher(fleet.keysOf(versions).load(), random);
  }

  private RotationEvent.RotationEpoch rotationEpoch() {
    Keystore keystore = keystore();
    RotationId id =
        Rotation.unfinishedJob(keystore.rotation())
            .orElseThrow(() -> new IllegalStateException("no version is staged"))
            .id();
    return new RotationEvent.RotationEpoch(id, keystore.epoch());
  }

  private void decide(RotationEvent event) {
    StoredKeystore stored = storedKeystore();
    write(stored, stored.keystore().decide(event));
  }

  private void write(StoredKeystore stored, KeystoreDecision decision) {
    if (!(decision instanceof KeystoreDecision.Accepted(Keystore next))) {
      throw new IllegalStateException("the keystore refused the change: " + decision);
    }
    check(keystoreStore().replace(stored, next));
  }

  private static void check(WriteOutcome outcome) {
    if (!(outcome instanceof WriteOutcome.Applied)) {
      throw new IllegalStateException("the keystore was not written: " + outcome);
    }
  }
}
