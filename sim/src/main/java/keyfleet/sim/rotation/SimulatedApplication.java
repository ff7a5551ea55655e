package keyfleet.sim.rotation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import keyfleet.crypto.FieldLocation;
import keyfleet.crypto.OpenResult;
import keyfleet.crypto.SecretBytes;
import keyfleet.member.Sealer;
import keyfleet.member.SealerResult;
import keyfleet.member.SealerResult.Sealed;
import keyfleet.sim.host.HostLoop;
import keyfleet.sim.host.SeededRandom;
import keyfleet.store.Bytes;
import keyfleet.store.Conflict;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.RecordWriteResult.Fenced;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoreException;
import keyfleet.store.StoredRecord;
import keyfleet.store.Unknown;

/// An application that keeps a few records of two sealed fields. Mostly it writes both, now and
/// then one of them, so that records come to be under two versions at once.
final class SimulatedApplication {
  static final List<String> FIELDS = List.of("name", "token");

  /// New records are made now and then, up to so many in a life.
  private static final int RECORDS = 6;

  private final String collection;
  private final HostLoop loop;
  private final Sealer sealer;
  private final Records records;
  private final Observer witness;
  private int made;

  /// Who knows what is true of this application's process.
  interface Observer {
    ExpectedValues told();

    /// Writes without comparing.
    RecordWriteResult overwrite(HostLoop loop, String collection, StoredRecord next);

    /// Throws [InvariantViolation] if the process has just sealed without a lease.
    void sealed();

    /// Throws [InvariantViolation] if a process that is admitted cannot open what is stored.
    void notOpened(ExpectedValues.FieldSlot slot, Bytes bytes);
  }

  SimulatedApplication(
      String collection, HostLoop loop, Sealer sealer, Records records, Observer witness) {
    this.collection = collection;
    this.loop = loop;
    this.sealer = sealer;
    this.records = records;
    this.witness = witness;
  }

  void tick() {
    SeededRandom dice = loop.host().dice();
    RecordId id = new RecordId(loop.host().name() + "-" + number(dice));
    try {
      SealedFields present = records.read(id).map(StoredRecord::fields).orElse(SealedFields.NONE);
      Map<String, String> texts = new TreeMap<>();
      for (String field : FIELDS) {
        if (present.equals(SealedFields.NONE) || dice.below(3) > 0) {
          texts.put(field, Long.toHexString(dice.next()));
        }
      }
      write(id, present, texts);
      readSome(dice);
    } catch (StoreException e) {
      loop.host().note(() -> "cannot write: " + e.getMessage());
    }
  }

  private int number(SeededRandom dice) {
    if (made == 0 || (made < RECORDS && dice.oneIn(3))) {
      return made++;
    }
    return dice.below(made);
  }

  private void write(RecordId id, SealedFields present, Map<String, String> texts) {
    Map<String, Bytes> fields = new TreeMap<>(present.byName());
    for (var it : texts.entrySet()) {
      FieldLocation fieldLocation = new FieldLocation(collection, id.value(), it.getKey());
      SealerResult answer =
          sealer.seal(fieldLocation, SecretBytes.copyOf(it.getValue().getBytes(UTF_8)));
      if (!(answer instanceof Sealed(var envelope))) {
        loop.host().note(() -> "seals nothing: " + answer);
        return;
      }
      witness.sealed();
      fields.put(it.getKey(), Bytes.copyOf(envelope.toBytes()));
    }
    texts.forEach((field, text) -> witness.told().sent(slot(id, field), text));
    SealedFields sealed = SealedFields.of(fields);
    StoredRecord next = new StoredRecord(id, sealed);
    RecordWriteResult write =
        loop.host().dice().oneIn(2)
            ? witness.overwrite(loop, collection, next)
            : compared(new StoredRecord(id, present), next);
    loop.host().note(() -> "writes " + id + " under " + sealed.versions() + ": " + write);
    texts.forEach((field, text) -> hear(slot(id, field), text, write));
  }

  private RecordWriteResult compared(StoredRecord present, StoredRecord next) {
    return present.fields().equals(SealedFields.NONE)
        ? records.insert(next)
        : records.compareAndSet(new RecordChange(present, next.fields()));
  }

  private ExpectedValues.FieldSlot slot(RecordId id, String field) {
    return new ExpectedValues.FieldSlot(collection, id.value(), field);
  }

  private void hear(ExpectedValues.FieldSlot slot, String text, RecordWriteResult write) {
    switch (write) {
      case Stored() -> witness.told().acknowledged(slot, text);
      case Fenced _, Conflict _ -> witness.told().refused(slot, text);
      case Unknown() -> {} // it may come yet
    }
  }

  private void readSome(SeededRandom dice) {
    List<ExpectedValues.FieldSlot> slots =
        witness.told().slots().stream().filter(this::isOurs).toList();
    if (!slots.isEmpty()) {
      ExpectedValues.FieldSlot slot = dice.pick(slots);
      FieldLocation fieldLocation =
          new FieldLocation(slot.collection(), slot.record(), slot.field());
      records
          .read(new RecordId(slot.record()))
          .map(it -> it.fields().byName().get(slot.field()))
          .filter(
              bytes -> !(sealer.open(fieldLocation, bytes.toArray()) instanceof OpenResult.Opened))
          .ifPresent(bytes -> witness.notOpened(slot, bytes));
    }
  }

  private boolean isOurs(ExpectedValues.FieldSlot slot) {
    return slot.collection().equals(collection);
  }
}
