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

/// An application that stores a few records with two sealed fields. It mostly writes both fields,
/// and sometimes one, so that a record's fields come to have different versions.
final class SimulatedApplication {
  static final List<String> FIELDS = List.of("name", "token");

  /// The most records that a process creates.
  private static final int MAX_RECORDS = 6;

  private final String collection;
  private final HostLoop loop;
  private final Sealer sealer;
  private final Records records;
  private final Observer observer;
  private int recordCount;

  /// Observes the application and knows the true state of its process.
  interface Observer {
    ExpectedValues expectedValues();

    /// Writes without comparing with the stored record.
    RecordWriteResult writeUnconditionally(HostLoop loop, String collection, StoredRecord next);

    /// Throws [InvariantViolation] if the process has just sealed without a lease.
    void checkLeaseAfterSeal();

    /// Throws [InvariantViolation] if an admitted process cannot open a stored value.
    void checkUnopened(ExpectedValues.FieldSlot slot, Bytes bytes);
  }

  SimulatedApplication(
      String collection, HostLoop loop, Sealer sealer, Records records, Observer observer) {
    this.collection = collection;
    this.loop = loop;
    this.sealer = sealer;
    this.records = records;
    this.observer = observer;
  }

  void tick() {
    SeededRandom random = loop.host().random();
    RecordId id = new RecordId(loop.host().name() + "-" + pickNumber(random));
    try {
      SealedFields present = records.read(id).map(StoredRecord::fields).orElse(SealedFields.NONE);
      Map<String, String> texts = new TreeMap<>();
      for (String field : FIELDS) {
        if (present.equals(SealedFields.NONE) || random.below(3) > 0) {
          texts.put(field, Long.toHexString(random.next()));
        }
      }
      write(id, present, texts);
      readOne(random);
    } catch (StoreException e) {
      loop.host().note(() -> "cannot write: " + e.getMessage());
    }
  }

  private int pickNumber(SeededRandom random) {
    if (recordCount == 0 || (recordCount < MAX_RECORDS && random.drawOneIn(3))) {
      return recordCount++;
    }
    return random.below(recordCount);
  }

  private void write(RecordId id, SealedFields present, Map<String, String> texts) {
    Map<String, Bytes> fields = new TreeMap<>(present.byName());
    for (var it : texts.entrySet()) {
      FieldLocation location = new FieldLocation(collection, id.value(), it.getKey());
      SealerResult answer =
          sealer.seal(location, SecretBytes.copyOf(it.getValue().getBytes(UTF_8)));
      if (!(answer instanceof Sealed(var envelope))) {
        loop.host().note(() -> "cannot seal: " + answer);
        return;
      }
      observer.checkLeaseAfterSeal();
      fields.put(it.getKey(), Bytes.copyOf(envelope.toBytes()));
    }
    texts.forEach((field, text) -> observer.expectedValues().recordSent(slot(id, field), text));
    SealedFields sealed = SealedFields.of(fields);
    StoredRecord next = new StoredRecord(id, sealed);
    RecordWriteResult write =
        loop.host().random().drawOneIn(2)
            ? observer.writeUnconditionally(loop, collection, next)
            : writeConditionally(new StoredRecord(id, present), next);
    loop.host().note(() -> "writes " + id + " under " + sealed.versions() + ": " + write);
    texts.forEach((field, text) -> recordOutcome(slot(id, field), text, write));
  }

  private RecordWriteResult writeConditionally(StoredRecord present, StoredRecord next) {
    return present.fields().equals(SealedFields.NONE)
        ? records.insert(next)
        : records.compareAndSet(new RecordChange(present, next.fields()));
  }

  private ExpectedValues.FieldSlot slot(RecordId id, String field) {
    return new ExpectedValues.FieldSlot(collection, id.value(), field);
  }

  private void recordOutcome(ExpectedValues.FieldSlot slot, String text, RecordWriteResult write) {
    switch (write) {
      case Stored() -> observer.expectedValues().recordAcknowledged(slot, text);
      case Fenced _, Conflict _ -> observer.expectedValues().recordRefused(slot, text);
      case Unknown() -> {} // it may still arrive
    }
  }

  private void readOne(SeededRandom random) {
    List<ExpectedValues.FieldSlot> slots =
        observer.expectedValues().slots().stream().filter(this::isInCollection).toList();
    if (!slots.isEmpty()) {
      ExpectedValues.FieldSlot slot = random.pick(slots);
      FieldLocation location = new FieldLocation(slot.collection(), slot.record(), slot.field());
      records
          .read(new RecordId(slot.record()))
          .map(it -> it.fields().byName().get(slot.field()))
          .filter(bytes -> !(sealer.open(location, bytes.toArray()) instanceof OpenResult.Opened))
          .ifPresent(bytes -> observer.checkUnopened(slot, bytes));
    }
  }

  private boolean isInCollection(ExpectedValues.FieldSlot slot) {
    return slot.collection().equals(collection);
  }
}
