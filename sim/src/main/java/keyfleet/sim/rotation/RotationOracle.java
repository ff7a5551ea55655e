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
import java.util.TreeSet;
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

/// Checks the invariants of keys and records. It sees every write to the store and knows every key.
final class RotationOracle {
  /// The processes that may seal.
  interface AdmittedProcesses {
    boolean isHeldByAll(KekVersion version);
  }

  /// More than any run announces.
  static final int MAX_VERSIONS = 8;

  private static final String UNREADABLE = "(cannot be opened)";

  private record SealedValue(FieldLocation location, Bytes bytes) {}

  private final NavigableMap<String, Records> collections;
  private final ExpectedValues expectedValues;
  private final AdmittedProcesses admitted;
  private final EnvelopeCipher allKeysCipher;
  private final Map<SealedValue, String> openedTexts = new HashMap<>();
  private final Set<KekVersion> destroyed = new HashSet<>();
  private @Nullable Keystore latest;
  private long keystoreWrites;

  /// The highest epoch before the store was restored; 0 while the keystore is not held.
  private long heldAbove;

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

  /// The last keystore that was written.
  Optional<Keystore> keystore() {
    return Optional.ofNullable(latest);
  }

  /// The keystore was written.
  void observeKeystore(Keystore keystore) {
    Keystore before = latest;
    latest = keystore;
    keystoreWrites++;
    requireAboveHold(before, keystore);
    requireWithdrawnForGood(before, keystore);
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
    boolean gatePassed = keystore.rotation() instanceof Rotation.OpeningFences;
    if (gatePassed && !(before != null && before.rotation() instanceof Rotation.OpeningFences)) {
      requireReady(keystore.rotation());
    }
    if (before == null || !before.rotation().equals(keystore.rotation())) {
      provedUnused(keystore.rotation())
          .ifPresent(version -> requireNoRecordCarries("P2", version, " was rotated away from"));
    }
  }

  /// P14: a version is withdrawn for good, and only while no record carries it.
  private void requireWithdrawnForGood(@Nullable Keystore before, Keystore now) {
    now.versions()
        .forEach((version, entry) -> {
          Optional<VersionState> was = before == null ? Optional.empty() : before.stateOf(version);
          boolean wasWithdrawn = was.equals(Optional.of(VersionState.WITHDRAWN));
          boolean isWithdrawn = entry.state() == VersionState.WITHDRAWN;
          if (wasWithdrawn && !isWithdrawn) {
            throw new InvariantViolation("P14", version + " was withdrawn and is " + entry.state());
          }
          if (isWithdrawn && !wasWithdrawn) {
            requireNoRecordCarries("P14", version, " is withdrawn");
          }
        });
  }

  /// P15: a held keystore changes only to a later epoch than all that were ever used. Only a driver
  /// may adopt its rotation, to say why it waits, or end a dry run, which has sealed nothing.
  private void requireAboveHold(@Nullable Keystore before, Keystore keystore) {
    if (!isHeld() || (before != null && isOnlyTakenOver(before, keystore))) {
      return;
    }
    if (keystore.epoch() <= heldAbove) {
      throw new InvariantViolation(
          "P15",
          "the held keystore goes to epoch %d, but epoch %d was used"
              .formatted(keystore.epoch(), heldAbove));
    }
    heldAbove = 0;
  }

  private static boolean isOnlyTakenOver(Keystore before, Keystore now) {
    Optional<RotationJob> job = Rotation.unfinishedJob(before.rotation());
    boolean isDryRun = job.filter(it -> it.kind() == RotationJob.Kind.DRY_RUN).isPresent();
    boolean isSamePhase =
        before.rotation().getClass().equals(now.rotation().getClass())
            && before.versions().equals(now.versions());
    return before.epoch() == now.epoch()
        && before.active().equals(now.active())
        && (isDryRun || isSamePhase);
  }

  /// Saves what the oracle knows of the keystore. Running the result goes back to it, as the store
  /// does: from then on the keystore is held.
  Runnable checkpoint() {
    Keystore saved = latest;
    long savedWrites = keystoreWrites;
    return () -> {
      heldAbove = latest == null ? 0 : latest.epoch();
      latest = saved;
      keystoreWrites = savedWrites;
    };
  }

  /// Whether the store was restored and no operator has decided yet.
  boolean isHeld() {
    return heldAbove > 0;
  }

  /// The versions that records carry.
  Set<KekVersion> carriedVersions() {
    Set<KekVersion> carried = new TreeSet<>();
    collections.values().forEach(it -> carried.addAll(it.census().carrying().keySet()));
    return carried;
  }

  /// Whether every fence says what the keystore says, so that it tells what a lost keystore said.
  boolean isFencedByLatest() {
    Keystore keystore = latest;
    return keystore != null
        && collections.values().stream()
            .flatMap(it -> it.fence().stream())
            .allMatch(it ->
                it.term().epoch() == keystore.epoch() && it.writable().equals(keystore.writable()))
        && collections.values().stream().anyMatch(it -> it.fence().isPresent());
  }

  /// The names of the collections that hold records or have a fence.
  Set<String> usedCollections() {
    Set<String> used = new TreeSet<>();
    collections.forEach((name, records) -> {
      if (records.fence().isPresent() || !records.census().carrying().isEmpty()) {
        used.add(name);
      }
    });
    return used;
  }

  /// The version that an ended rotation has proved to be unused.
  private static Optional<KekVersion> provedUnused(Rotation rotation) {
    return switch (rotation) {
      case Rotation.Completed(RotationJob job) -> Optional.of(job.from());
      case Rotation.Aborted(RotationJob job) when job.course() == RotationJob.Course.TURNED ->
          Optional.of(job.from());
      default -> Optional.empty();
    };
  }

  private void requireReady(Rotation rotation) {
    KekVersion to = Rotation.unfinishedJob(rotation).orElseThrow().to();
    if (!admitted.isHeldByAll(to)) {
      throw new InvariantViolation("P3", "the gate passed, but an admitted process lacks " + to);
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

  /// K2: a record may change only to a writable version. While a flip settles, and until every
  /// fence is raised, both versions are allowed.
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
            "%s of %s becomes %s, but only %s may be written"
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

  /// An application wrote a record.
  void observeWrite(String collection, SealedFields before, StoredRecord after) {
    if (isHeld() && !before.equals(after.fields())) {
      throw new InvariantViolation("P15", after.id() + " is written while the keystore is held");
    }
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

  /// A worker rewrapped a record.
  void observeRewrap(String collection, StoredRecord before, SealedFields after) {
    observeWrite(collection, before.fields(), new StoredRecord(before.id(), after));
    before
        .fields()
        .byName()
        .forEach((field, bytes) -> {
          FieldLocation location = new FieldLocation(collection, before.id().value(), field);
          if (!text(location, bytes).equals(text(location, after.byName().get(field)))) {
            throw new InvariantViolation("P5", location + " has another value after its rewrap");
          }
        });
  }

  /// P1: every acknowledged value opens with the remaining keys.
  void requireReadable() {
    for (ExpectedValues.FieldSlot slot : expectedValues.slots()) {
      FieldLocation location = new FieldLocation(slot.collection(), slot.record(), slot.field());
      Bytes bytes = stored(slot);
      if (bytes == null) {
        throw new InvariantViolation("P1", location + " was acknowledged but is gone");
      }
      String text = text(location, bytes);
      if (!expectedValues.isAllowed(slot, text)) {
        throw new InvariantViolation(
            "P1", location + " holds " + text + ", which is neither acknowledged nor pending");
      }
    }
    for (KekVersion version : destroyed) {
      requireNoRecordCarries("P1", version, " is destroyed");
    }
  }

  /// K2: after a rotation, every raised fence allows the same versions as the keystore.
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
                    "%s is fenced to %s, but the keystore allows %s"
                        .formatted(name, fence.writable(), keystore.writable()));
              }
            }));
  }

  /// The audit has one entry for each keystore that was written, and no other entry.
  void requireAudited(AuditVerdict verdict) {
    if (!(verdict instanceof AuditVerdict.Intact(AuditHead head, _))
        || head.number() != keystoreWrites) {
      throw new InvariantViolation(
          "AUDIT", "%d changes, but the audit is %s".formatted(keystoreWrites, verdict));
    }
  }

  /// Whether the field holds these bytes now.
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

  /// The field's plaintext, or a text that no application writes. Results are cached: the keys of
  /// `allKeysCipher` never change.
  private String text(FieldLocation location, @Nullable Bytes bytes) {
    return bytes == null
        ? UNREADABLE
        : openedTexts.computeIfAbsent(new SealedValue(location, bytes), this::open);
  }

  private String open(SealedValue sealedValue) {
    if (!(allKeysCipher.open(sealedValue.location(), sealedValue.bytes().toArray())
        instanceof Opened(SecretBytes plaintext, _))) {
      return UNREADABLE;
    }
    try (plaintext) {
      return new String(plaintext.reveal(SecretAccess.granted()), UTF_8);
    }
  }
}
