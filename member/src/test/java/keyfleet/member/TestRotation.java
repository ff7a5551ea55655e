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

/// What an operator and a driver would do to the keys of a [TestFleet], each step when the test
/// says so. No gate is asked: a test may flip under a process that is not ready.
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

  /// Not counted by the store's being cut off.
  private KeystoreStore keystoreStore() {
    return new KeystoreStore(fleet.engine().inner(), fleet.keyring(), () -> "test-" + nonces++);
  }

  public Keystore keystore() {
    return storedKeystore().keystore();
  }

  private StoredKeystore storedKeystore() {
    return keystoreStore().read().orElseThrow(() -> new IllegalStateException("no keystore yet"));
  }

  /// Makes a version known; version 1 makes the keystore.
  public void announce(int version) {
    if (version == 1) {
      bootstrap(Keystore.Use.RECORDS);
    } else {
      StoredKeystore held = storedKeystore();
      write(held, held.keystore().announce(new KekVersion(version), keyVersion(version)));
    }
  }

  void bootstrap(Keystore.Use use) {
    var identity = new Keystore.Identity("test", 1, use);
    check(keystoreStore().create(Keystore.bootstrap(identity, keyVersion(1), timings)));
  }

  private VersionEntry keyVersion(int version) {
    Sentinel sentinel =
        Sentinel.create(cipher(version), new KekVersion(version), random).orElseThrow();
    return new VersionEntry(TestFleet.PROVIDER, sentinel, VersionState.ANNOUNCED);
  }

  /// From here on, who has not proved it reads only.
  public void stage(int version) {
    RotationId id = new RotationId("test-rotation-" + version);
    decide(
        new RotationEvent.StartRequested(
            id, keystore().active(), new KekVersion(version), "test-driver"));
  }

  /// Makes the staged version the active one, in a new epoch. Records stay as they are.
  public void flip() {
    decide(new RotationEvent.GatePassed(rotationEpoch()));
    decide(new RotationEvent.FencesOpened(rotationEpoch()));
    decide(new RotationEvent.RewrapEnded(rotationEpoch()));
  }

  /// Moves every record in the store to the active version, behind the fence, and ends the
  /// rotation.
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
              FieldLocation fieldLocation =
                  new FieldLocation(collection, record.id().value(), field);
              moved.put(field, rewrap(cipher, fieldLocation, bytes, active));
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
      EnvelopeCipher cipher, FieldLocation fieldLocation, Bytes bytes, KekVersion active) {
    Envelope envelope = Envelope.parse(bytes.toArray()).orElseThrow();
    return cipher.rewrap(fieldLocation, envelope, active) instanceof Rewrapped(Envelope next)
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

  private void decide(RotationEvent rotationEvent) {
    StoredKeystore held = storedKeystore();
    write(held, held.keystore().decide(rotationEvent));
  }

  private void write(StoredKeystore held, KeystoreDecision keystoreDecision) {
    if (!(keystoreDecision instanceof KeystoreDecision.Accepted(Keystore next))) {
      throw new IllegalStateException("the keystore does not go on: " + keystoreDecision);
    }
    check(keystoreStore().replace(held, next));
  }

  private static void check(WriteOutcome writeOutcome) {
    if (!(writeOutcome instanceof WriteOutcome.Applied)) {
      throw new IllegalStateException("the keystore was not written: " + writeOutcome);
    }
  }
}
