package keyfleet.sim.rotation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import keyfleet.control.audit.AuditHead;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.FieldLocation;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.OpenResult.Opened;
import keyfleet.crypto.SecretAccess;
import keyfleet.crypto.SecretBytes;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.VersionState;
import keyfleet.sim.cipher.FakeKek;
import keyfleet.sim.cipher.InMemoryKekProvider;
import keyfleet.sim.cipher.SeededSecureRandom;
import keyfleet.sim.fleet.InvariantViolation;
import keyfleet.store.Bytes;
import keyfleet.store.RecordId;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;
import org.jspecify.annotations.Nullable;

/// What must be true of keys and records, whoever does what.
public final class RotationOracle {
  /// Whether every process that may seal holds a version.
  interface AdmittedProcesses {
    boolean allHave(KekVersion version);
  }

  static final int MAX_VERSIONS = 4;

  private static final String UNREADABLE = "(nothing that opens)";

  private record SealedValue(FieldLocation fieldLocation, Bytes bytes) {}

  private final NavigableMap<String, Records> collections;
  private final ExpectedValues expectedValues;
  private final AdmittedProcesses admitted;
  private final EnvelopeCipher allKeysCipher;
  private final Map<SealedValue, String> openedTexts = new HashMap<>();
  private final Set<KekVersion> destroyed = new HashSet<>();
  private @Nullable Keystore latest;
  private long keystoreWrites;

  RotationOracle(
      Map<String, Records> collections,
      ExpectedValues expectedValues,
      AdmittedProcesses admitted,
      SeededSecureRandom random) {
    this.collections = new TreeMap<>(collections);
    this.expectedValues = expectedValues;
    this.admitted = admitted;
    List<FakeKek> keks =
        IntStream.rangeClosed(1, MAX_VERSIONS).mapToObj(InMemoryKekProvider::genuineKek).toList();
    this.allKeysCipher = new EnvelopeCipher(KekSet.of(KeyringName.MAIN, keks), random);
  }

  /// As it was written last.
  Optional<Keystore> keystore() {
    return Optional.ofNullable(latest);
  }

  /// Somebody has written the keystore.
  public void observeKeystore(Keystore keystore) {
    Keystore before = latest;
    latest = keystore;
    keystoreWrites++;
    if (before != null && keystore.epoch() < before.epoch()) {
      throw new InvariantViolation(
          "K7", "epoch %d after %d".formatted(keystore.epoch(), before.epoch()));
    }
    keystore
        .versions()
        .forEach((version, known) -> {
          if (known.state() == VersionState.DESTROYING && destroyed.add(version)) {
            requireNoRecordCarries("P2", version, " is destroyed");
          }
        });
    boolean passed = keystore.rotation() instanceof Rotation.OpeningFences;
    if (passed && !(before != null && before.rotation() instanceof Rotation.OpeningFences)) {
      requireReady(keystore.rotation());
    }
    if (before == null || !before.rotation().equals(keystore.rotation())) {
      provedGone(keystore.rotation())
          .ifPresent(version -> requireNoRecordCarries("P2", version, " was rotated away from"));
    }
  }

  /// The version that a rotation which has just ended has proved to be gone.
  private static Optional<KekVersion> provedGone(Rotation rotation) {
    return switch (rotation) {
      case Rotation.Completed(RotationJob rotationJob) -> Optional.of(rotationJob.from());
      case Rotation.Aborted(RotationJob rotationJob)
          when rotationJob.course() == RotationJob.Course.TURNED ->
          Optional.of(rotationJob.from());
      default -> Optional.empty();
    };
  }

  private void requireReady(Rotation rotation) {
    KekVersion to = Rotation.unfinishedJob(rotation).orElseThrow().to();
    if (!admitted.allHave(to)) {
      throw new InvariantViolation(
          "P3", "the gate let " + to + " pass, which an admitted process lacks");
    }
  }

  private void requireNoRecordCarries(String invariant, KekVersion version, String reason) {
    collections.forEach((name, records) -> {
      long carrying = records.census().carrying().getOrDefault(version, 0L);
      if (carrying > 0) {
        throw new InvariantViolation(
            invariant,
            "%d records of %s carry %s, which%s".formatted(carrying, name, version, reason));
      }
    });
  }

  /// K2: what a record may newly carry. While a flip settles, and until every fence stands, that is
  /// both versions.
  private void requireWritable(String collection, SealedFields before, StoredRecord after) {
    Keystore keystore = latest;
    if (keystore == null) {
      return;
    }
    for (KekVersion version : after.fields().versions()) {
      boolean fresh = !before.versions().contains(version);
      if (fresh && !isClosing(keystore.rotation()) && !keystore.writable().contains(version)) {
        throw new InvariantViolation(
            "K2",
            "%s of %s becomes %s, and %s may be written"
                .formatted(after.id(), collection, version, keystore.writable()));
      }
    }
  }

  private static boolean isClosing(Rotation rotation) {
    return switch (rotation) {
      case Rotation.Settling _, Rotation.Fencing _ -> true;
      case Rotation.Paused(var was) -> isClosing(was);
      default -> false;
    };
  }

  /// A record was written, by an application.
  void observeWrite(String collection, SealedFields before, StoredRecord after) {
    requireWritable(collection, before, after);
    for (KekVersion version : after.fields().versions()) {
      if (destroyed.contains(version)) {
        throw new InvariantViolation(
            "P2",
            "%s of %s is written under %s, which is destroyed"
                .formatted(after.id(), collection, version));
      }
    }
  }

  /// A record was moved to another version, by a worker.
  void observeRewrap(String collection, StoredRecord before, SealedFields after) {
    observeWrite(collection, before.fields(), new StoredRecord(before.id(), after));
    before
        .fields()
        .byName()
        .forEach((field, bytes) -> {
          FieldLocation fieldLocation = new FieldLocation(collection, before.id().value(), field);
          if (!text(fieldLocation, bytes).equals(text(fieldLocation, after.byName().get(field)))) {
            throw new InvariantViolation(
                "P5", fieldLocation + " is another value after its rewrap");
          }
        });
  }

  /// Every value that was acknowledged can be opened with the keys that are left.
  void requireReadable() {
    for (ExpectedValues.FieldSlot fieldSlot : expectedValues.fieldSlots()) {
      FieldLocation fieldLocation =
          new FieldLocation(fieldSlot.collection(), fieldSlot.record(), fieldSlot.field());
      Bytes bytes = stored(fieldSlot);
      if (bytes == null) {
        throw new InvariantViolation("P1", fieldLocation + " was acknowledged and is gone");
      }
      String text = text(fieldLocation, bytes);
      if (!expectedValues.isAllowed(fieldSlot, text)) {
        throw new InvariantViolation(
            "P1", fieldLocation + " holds " + text + ", which was never written last");
      }
    }
    for (KekVersion version : destroyed) {
      requireNoRecordCarries("P1", version, " is destroyed");
    }
  }

  /// Once a rotation has ended, every fence that was ever raised says what the keystore says.
  void requireFenced() {
    Keystore keystore = latest;
    if (keystore == null) {
      return;
    }
    collections.forEach((name, records) ->
        records
            .fence()
            .ifPresent(fence -> {
              if (!fence.writable().equals(keystore.writable())) {
                throw new InvariantViolation(
                    "K2",
                    "%s is fenced to %s, and the keystore says %s"
                        .formatted(name, fence.writable(), keystore.writable()));
              }
            }));
  }

  /// Every keystore that was ever written has its entry in the audit, and there is no other.
  void requireAudited(AuditVerdict verdict) {
    if (!(verdict instanceof AuditVerdict.Intact(AuditHead head))
        || head.number() != keystoreWrites) {
      throw new InvariantViolation(
          "AUDIT", "%d changes, and the audit is %s".formatted(keystoreWrites, verdict));
    }
  }

  /// Whether these are the bytes that stand there now.
  boolean isStored(ExpectedValues.FieldSlot fieldSlot, Bytes bytes) {
    Bytes present = stored(fieldSlot);
    return present != null && present.equals(bytes);
  }

  private @Nullable Bytes stored(ExpectedValues.FieldSlot fieldSlot) {
    Records records = collections.get(fieldSlot.collection());
    return records == null
        ? null
        : records
            .read(new RecordId(fieldSlot.record()))
            .map(record -> record.fields().byName().get(fieldSlot.field()))
            .orElse(null);
  }

  /// What the field holds, or a word that no application writes. The same bytes hold the same for
  /// ever: `everyKey` never changes.
  private String text(FieldLocation fieldLocation, @Nullable Bytes bytes) {
    return bytes == null
        ? UNREADABLE
        : openedTexts.computeIfAbsent(new SealedValue(fieldLocation, bytes), this::open);
  }

  private String open(SealedValue sealedValue) {
    if (!(allKeysCipher.open(sealedValue.fieldLocation(), sealedValue.bytes().toArray())
        instanceof Opened(SecretBytes plaintext, _))) {
      return UNREADABLE;
    }
    try (plaintext) {
      return new String(plaintext.reveal(SecretAccess.granted()), UTF_8);
    }
  }
}
