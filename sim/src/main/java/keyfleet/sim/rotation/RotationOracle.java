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
    boolean everyAdmittedHolds(KekVersion version);
  }

  static final int VERSIONS = 4;

  private static final String NOTHING = "(nothing that opens)";

  private record SealedValue(FieldLocation fieldLocation, Bytes bytes) {}

  private final NavigableMap<String, Records> collections;
  private final ExpectedValues told;
  private final AdmittedProcesses readied;
  private final EnvelopeCipher everyKey;
  private final Map<SealedValue, String> texts = new HashMap<>();
  private final Set<KekVersion> destroyed = new HashSet<>();
  private @Nullable Keystore last;
  private long changes;

  RotationOracle(
      Map<String, Records> collections,
      ExpectedValues told,
      AdmittedProcesses readied,
      SeededSecureRandom random) {
    this.collections = new TreeMap<>(collections);
    this.told = told;
    this.readied = readied;
    List<FakeKek> keks =
        IntStream.rangeClosed(1, VERSIONS).mapToObj(InMemoryKekProvider::right).toList();
    this.everyKey = new EnvelopeCipher(KekSet.of(KeyringName.MAIN, keks), random);
  }

  /// As it was written last.
  Optional<Keystore> keystore() {
    return Optional.ofNullable(last);
  }

  /// Somebody has written the keystore.
  public void sees(Keystore keystore) {
    Keystore before = last;
    last = keystore;
    changes++;
    if (before != null && keystore.epoch() < before.epoch()) {
      throw new InvariantViolation(
          "K7", "epoch %d after %d".formatted(keystore.epoch(), before.epoch()));
    }
    keystore
        .versions()
        .forEach((version, known) -> {
          if (known.state() == VersionState.DESTROYING && destroyed.add(version)) {
            requireNobodyCarries("P2", version, " is destroyed");
          }
        });
    boolean passed = keystore.rotation() instanceof Rotation.OpeningFences;
    if (passed && !(before != null && before.rotation() instanceof Rotation.OpeningFences)) {
      requireReady(keystore.rotation());
    }
    if (before == null || !before.rotation().equals(keystore.rotation())) {
      left(keystore.rotation())
          .ifPresent(version -> requireNobodyCarries("P2", version, " was rotated away from"));
    }
  }

  /// The version that a rotation which has just ended has proved to be gone.
  private static Optional<KekVersion> left(Rotation rotation) {
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
    if (!readied.everyAdmittedHolds(to)) {
      throw new InvariantViolation(
          "P3", "the gate let " + to + " pass, which an admitted process lacks");
    }
  }

  private void requireNobodyCarries(String promise, KekVersion version, String why) {
    collections.forEach((name, records) -> {
      long carrying = records.census().carrying().getOrDefault(version, 0L);
      if (carrying > 0) {
        throw new InvariantViolation(
            promise, "%d records of %s carry %s, which%s".formatted(carrying, name, version, why));
      }
    });
  }

  /// K2: what a record may newly carry. While a flip settles, and until every fence stands, that is
  /// both versions.
  private void requireWritable(String collection, SealedFields before, StoredRecord after) {
    Keystore keystore = last;
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
  void wrote(String collection, SealedFields before, StoredRecord after) {
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
  void moved(String collection, StoredRecord before, SealedFields after) {
    wrote(collection, before.fields(), new StoredRecord(before.id(), after));
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
    for (ExpectedValues.FieldSlot slot : told.slots()) {
      FieldLocation fieldLocation =
          new FieldLocation(slot.collection(), slot.record(), slot.field());
      Bytes bytes = stored(slot);
      if (bytes == null) {
        throw new InvariantViolation("P1", fieldLocation + " was acknowledged and is gone");
      }
      String text = text(fieldLocation, bytes);
      if (!told.allows(slot, text)) {
        throw new InvariantViolation(
            "P1", fieldLocation + " holds " + text + ", which was never written last");
      }
    }
    for (KekVersion version : destroyed) {
      requireNobodyCarries("P1", version, " is destroyed");
    }
  }

  /// Once a rotation has ended, every fence that was ever raised says what the keystore says.
  void requireFenced() {
    Keystore keystore = last;
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
    if (!(verdict instanceof AuditVerdict.Intact(AuditHead head)) || head.number() != changes) {
      throw new InvariantViolation(
          "AUDIT", "%d changes, and the audit is %s".formatted(changes, verdict));
    }
  }

  /// Whether these are the bytes that stand there now.
  boolean isStored(ExpectedValues.FieldSlot slot, Bytes bytes) {
    Bytes present = stored(slot);
    return present != null && present.equals(bytes);
  }

  private @Nullable Bytes stored(ExpectedValues.FieldSlot slot) {
    Records records = collections.get(slot.collection());
    return records == null
        ? null
        : records
            .read(new RecordId(slot.record()))
            .map(record -> record.fields().byName().get(slot.field()))
            .orElse(null);
  }

  /// What the field holds, or a word that no application writes. The same bytes hold the same for
  /// ever: `everyKey` never changes.
  private String text(FieldLocation fieldLocation, @Nullable Bytes bytes) {
    return bytes == null
        ? NOTHING
        : texts.computeIfAbsent(new SealedValue(fieldLocation, bytes), this::opened);
  }

  private String opened(SealedValue sealed) {
    if (!(everyKey.open(sealed.fieldLocation(), sealed.bytes().toArray())
        instanceof Opened(SecretBytes plaintext, _))) {
      return NOTHING;
    }
    try (plaintext) {
      return new String(plaintext.reveal(SecretAccess.granted()), UTF_8);
    }
  }
}
