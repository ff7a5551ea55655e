package keyfleet.store;

import static keyfleet.store.StoreFixtures.fields;
import static keyfleet.store.StoreFixtures.id;
import static keyfleet.store.StoreFixtures.record;
import static keyfleet.store.StoreFixtures.rewrapped;
import static keyfleet.store.StoreFixtures.sealed;
import static keyfleet.store.StoreFixtures.v;
import static keyfleet.store.StoreFixtures.with;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import keyfleet.crypto.KekVersion;
import keyfleet.store.DeleteResult.Deleted;
import keyfleet.store.RecordWriteResult.Stored;
import org.junit.jupiter.api.Test;

/// What Keyfleet expects of a collection that has no fence.
public interface RecordsContract extends ContractSuite {
  int RACERS = 8;
  int PAGE = 10;

  @Override
  RecordsFixture fixture();

  /// How many records the longer tests use.
  default int recordCount() {
    return 200;
  }

  @Test
  default void insertedRecord_isReadExactly(RecordsFixture fixture) {
    StoredRecord record = record(1, 1, 1);
    assertEquals(Optional.empty(), fixture.records().read(id(1)));
    insert(fixture, record);
    assertEquals(Optional.of(record), fixture.records().read(id(1)));
    assertEquals(new Conflict(), fixture.records().insert(record(1, 2)));
    assertEquals(Optional.of(record), fixture.records().read(id(1)));
  }

  @Test
  default void versionField_isTheLowestVersionAfterEachWrite(RecordsFixture fixture) {
    insert(fixture, record(1, 3, 2));
    insert(fixture, record(2));
    assertEquals(Optional.of(2), fixture.readVersionField(id(1)));
    assertEquals(Optional.empty(), fixture.readVersionField(id(2)));
    StoredRecord changed = fixture.records().read(id(1)).orElseThrow();
    SealedFields raised = with(changed.fields(), "f1", sealed(4));
    assertEquals(new Stored(), fixture.records().compareAndSet(new RecordChange(changed, raised)));
    assertEquals(Optional.of(3), fixture.readVersionField(id(1)));
    StoredRecord third = record(3, 2);
    insert(fixture, third);
    List<RecordChange> batch =
        List.of(
            new RecordChange(new StoredRecord(id(1), raised), fields(5, 6)),
            new RecordChange(third, fields(7)));
    assertEquals(List.of(new Stored(), new Stored()), fixture.records().compareAndSetAll(batch));
    assertEquals(Optional.of(5), fixture.readVersionField(id(1)));
    assertEquals(Optional.of(7), fixture.readVersionField(id(3)));
    assertEquals(0, fixture.records().census().mismatched());
  }

  @Test
  default void wrongVersionField_isCountedAndDecidesNothing(RecordsFixture fixture) {
    List<StoredRecord> records = List.of(record(1, 1, 2), record(2, 2), record(3, 2), record(4, 1));
    records.forEach(it -> insert(fixture, it));
    Census before = fixture.records().census();
    fixture.writeVersionField(id(1), 2);
    fixture.writeVersionField(id(2), -2);
    fixture.writeVersionField(id(3), null);
    assertEquals(
        new Census(before.belonging(), before.carrying(), 0, 3), fixture.records().census());
    assertEquals(
        Set.of(records.getFirst(), records.getLast()),
        new HashSet<>(fixture.records().scan(v(1), 10)));
    List<StoredRecord> found = new ArrayList<>(fixture.records().scanMismatched(2));
    assertEquals(2, found.size());
    found.addAll(fixture.records().scanMismatched(found.getLast().id(), 2));
    assertEquals(3, found.size());
    assertEquals(Set.copyOf(records.subList(0, 3)), new HashSet<>(found));
  }

  @Test
  default void changeToTheSameFields_correctsTheVersionField(RecordsFixture fixture) {
    List<StoredRecord> records = List.of(record(1, 1, 2), record(2, 2), record(3));
    records.forEach(it -> insert(fixture, it));
    records.forEach(it -> fixture.writeVersionField(it.id(), 9));
    RecordChange same = new RecordChange(records.getFirst(), records.getFirst().fields());
    assertEquals(new Stored(), fixture.records().compareAndSet(same));
    assertEquals(Optional.of(1), fixture.readVersionField(id(1)));
    assertEquals(2, fixture.records().census().mismatched());
    List<RecordChange> batch =
        records.stream().map(it -> new RecordChange(it, it.fields())).toList();
    assertEquals(Collections.nCopies(3, new Stored()), fixture.records().compareAndSetAll(batch));
    assertEquals(Optional.of(2), fixture.readVersionField(id(2)));
    assertEquals(Optional.empty(), fixture.readVersionField(id(3)));
    assertEquals(0, fixture.records().census().mismatched());
    assertEquals(List.of(), fixture.records().scanMismatched(10));
  }

  @Test
  default void delete_needsTheFieldsAsTheyAre(RecordsFixture fixture) {
    StoredRecord record = record(1, 1, 1);
    insert(fixture, record);
    assertEquals(new Conflict(), fixture.records().delete(record(1, 1, 1)));
    assertEquals(new Deleted(), fixture.records().delete(record));
    assertEquals(Optional.empty(), fixture.records().read(id(1)));
    assertEquals(new Conflict(), fixture.records().delete(record));
  }

  @Test
  default void compareAndSet_changesAllFields(RecordsFixture fixture) {
    StoredRecord before = record(1, 1, 1, 1);
    insert(fixture, before);
    StoredRecord after = new StoredRecord(before.id(), rewrapped(before, 2));
    assertEquals(
        new Stored(), fixture.records().compareAndSet(new RecordChange(before, after.fields())));
    assertEquals(Optional.of(after), fixture.records().read(id(1)));
  }

  @Test
  default void compareAndSetWithAnyFieldChanged_changesNone(RecordsFixture fixture) {
    StoredRecord stored = record(1, 1, 1, 1);
    insert(fixture, stored);
    for (String name : stored.fields().byName().keySet()) {
      SealedFields other = with(stored.fields(), name, sealed(1));
      StoredRecord expected = new StoredRecord(stored.id(), other);
      RecordChange change = new RecordChange(expected, rewrapped(stored, 2));
      assertEquals(new Conflict(), fixture.records().compareAndSet(change), name);
      assertEquals(Optional.of(stored), fixture.records().read(id(1)), name);
    }
  }

  @Test
  default void compareAndSetWithTooFewFields_changesNone(RecordsFixture fixture) {
    StoredRecord stored = record(1, 1, 1);
    insert(fixture, stored);
    Map<String, Bytes> half = Map.of("f0", stored.fields().byName().get("f0"));
    StoredRecord expected = new StoredRecord(stored.id(), SealedFields.of(half));
    RecordChange change = new RecordChange(expected, fields(2));
    assertEquals(new Conflict(), fixture.records().compareAndSet(change));
    assertEquals(Optional.of(stored), fixture.records().read(id(1)));
  }

  @Test
  default void compareAndSetOfAbsentRecord_conflicts(RecordsFixture fixture) {
    StoredRecord absent = record(1, 1);
    RecordChange change = new RecordChange(absent, fields(2));
    assertEquals(new Conflict(), fixture.records().compareAndSet(change));
    assertEquals(Optional.empty(), fixture.records().read(id(1)));
  }

  @Test
  default void compareAndSetAll_decidesEachChangeSeparately(RecordsFixture fixture) {
    List<RecordChange> changes = new ArrayList<>();
    List<RecordWriteResult> expected = new ArrayList<>();
    for (int i = 0; i < recordCount(); i++) {
      boolean asRead = i % 3 > 0;
      StoredRecord record = record(i, 1, 1);
      insert(fixture, asRead ? record : record(i, 1, 1));
      changes.add(new RecordChange(record, rewrapped(record, 2)));
      expected.add(asRead ? new Stored() : new Conflict());
    }
    assertEquals(expected, fixture.records().compareAndSetAll(changes));
    for (int i = 0; i < recordCount(); i++) {
      boolean moved = expected.get(i).equals(new Stored());
      SealedFields found = fixture.records().read(id(i)).orElseThrow().fields();
      assertEquals(moved, changes.get(i).after().equals(found), "record " + i);
    }
    assertEquals(List.of(), fixture.records().compareAndSetAll(List.of()));
  }

  @Test
  default void changeWithoutOneOfTheFields_isRefused() {
    StoredRecord record = record(1, 1, 1);
    assertThrows(IllegalArgumentException.class, () -> new RecordChange(record, fields(2)));
  }

  @Test
  default void racedCompareAndSet_isWonOnceAndNeverMixed(RecordsFixture fixture) {
    try (RacingThreads threads = new RacingThreads(RACERS)) {
      StoredRecord last = record(1, 1, 1);
      insert(fixture, last);
      for (int round = 0; round < recordCount(); round++) {
        StoredRecord expected = last;
        List<SealedFields> offers = new ArrayList<>();
        for (int i = 0; i < RACERS; i++) {
          offers.add(rewrapped(expected, 1 + i));
        }
        List<RecordWriteResult> writes =
            threads.race(
                it -> fixture.records().compareAndSet(new RecordChange(expected, offers.get(it))));
        assertEquals(1, Collections.frequency(writes, new Stored()), () -> "of " + writes);
        last = new StoredRecord(last.id(), offers.get(writes.indexOf(new Stored())));
        assertEquals(Optional.of(last), fixture.records().read(id(1)));
      }
    }
  }

  @Test
  default void mixedRecord_belongsToItsLowestVersion(RecordsFixture fixture) {
    insert(fixture, record(1, 3, 2));
    insert(fixture, record(2, 2, 3));
    insert(fixture, record(3, 3, 3));
    assertEquals(ids(1, 2), idsOf(scanAll(fixture.records(), v(2))));
    assertEquals(ids(3), idsOf(scanAll(fixture.records(), v(3))));
    assertEquals(Map.of(v(2), 2L, v(3), 1L), fixture.records().census().belonging());
    assertEquals(Map.of(v(2), 2L, v(3), 3L), fixture.records().census().carrying());
  }

  @Test
  default void fieldThatIsNotAnEnvelope_isCountedAsUnreadable(RecordsFixture fixture) {
    Bytes garbage = Bytes.copyOf(new byte[200]);
    insert(fixture, new StoredRecord(id(1), with(fields(1), "f1", garbage)));
    insert(fixture, new StoredRecord(id(2), SealedFields.of(Map.of("f0", garbage))));
    insert(fixture, record(3, 1));
    assertEquals(2, fixture.records().census().unreadable());
    assertEquals(Map.of(v(1), 2L), fixture.records().census().belonging());
    assertEquals(ids(1, 3), idsOf(scanAll(fixture.records(), v(1))));
  }

  @Test
  default void census_equalsFullScan(RecordsFixture fixture) {
    Random random = new Random(7);
    assertEquals(Census.of(List.of()), fixture.records().census());
    for (int i = 0; i < recordCount(); i++) {
      insert(fixture, record(i, 1 + random.nextInt(4), 1 + random.nextInt(4)));
      if (random.nextInt(3) == 0) {
        StoredRecord moved = fixture.records().read(id(random.nextInt(i + 1))).orElseThrow();
        RecordChange change = new RecordChange(moved, rewrapped(moved, 1 + random.nextInt(5)));
        assertEquals(new Stored(), fixture.records().compareAndSet(change));
      }
    }
    List<StoredRecord> all = new ArrayList<>();
    for (int version = 1; version <= 6; version++) {
      all.addAll(scanAll(fixture.records(), v(version)));
    }
    assertEquals(recordCount(), all.size());
    assertEquals(Census.of(all), fixture.records().census());
  }

  @Test
  default void scanOfAbsentVersion_isEmpty(RecordsFixture fixture) {
    insert(fixture, record(1, 1));
    assertEquals(List.of(), fixture.records().scan(v(2), PAGE));
    assertEquals(List.of(), fixture.records().scan(v(1), id(1), PAGE));
  }

  @Test
  default void scanAfterDeletedRecord_continues(RecordsFixture fixture) {
    for (int i = 1; i <= 4; i++) {
      insert(fixture, record(i, 1));
    }
    StoredRecord second = fixture.records().scan(v(1), 2).getLast();
    assertEquals(new Deleted(), fixture.records().delete(second));
    assertEquals(ids(3, 4), idsOf(fixture.records().scan(v(1), second.id(), PAGE)));
  }

  /// Even ids stay as they are; other threads meanwhile rewrap, delete and insert odd ones.
  @Test
  default void scanWhileOthersWrite_hasNoGapAndNoRepeat(RecordsFixture fixture) {
    try (RacingThreads threads = new RacingThreads(4)) {
      int count = recordCount();
      for (int i = 0; i < count; i++) {
        insert(fixture, record(i, 1, 1));
      }
      List<List<StoredRecord>> scans =
          threads.race(it -> {
            if (it == 0) {
              return scanAll(fixture.records(), v(1));
            }
            disturb(fixture.records(), it, count);
            return List.of();
          });
      assertNoGapNoRepeat(scans.getFirst(), count);
    }
  }

  /// The same without threads: one write after each page, so that it certainly is between two
  /// pages.
  @Test
  default void scanWithWritesBetweenPages_hasNoGapAndNoRepeat(RecordsFixture fixture) {
    int count = recordCount();
    for (int i = 0; i < count; i++) {
      insert(fixture, record(i, 1, 1));
    }
    Random random = new Random(11);
    List<StoredRecord> seen = new ArrayList<>();
    List<StoredRecord> page = fixture.records().scan(v(1), PAGE);
    while (!page.isEmpty()) {
      assertTrue(page.size() <= PAGE, "a page has " + page.size() + " records");
      seen.addAll(page);
      disturbOne(fixture.records(), random, 1 + 2 * random.nextInt(count / 2));
      page = fixture.records().scan(v(1), page.getLast().id(), PAGE);
    }
    assertNoGapNoRepeat(seen, count);
  }

  private static void disturb(Records records, int seed, int count) {
    Random random = new Random(seed);
    for (int i = 0; i < count; i++) {
      disturbOne(records, random, 1 + 2 * random.nextInt(count));
    }
  }

  private static void disturbOne(Records records, Random random, int id) {
    Optional<StoredRecord> found = records.read(id(id));
    if (found.isEmpty()) {
      records.insert(record(id, 1, 1));
    } else if (random.nextInt(3) == 0) {
      records.delete(found.get());
    } else {
      records.compareAndSet(new RecordChange(found.get(), rewrapped(found.get(), 2)));
    }
  }

  private static void assertNoGapNoRepeat(List<StoredRecord> seen, int count) {
    Set<RecordId> ids = new HashSet<>();
    for (StoredRecord record : seen) {
      assertTrue(ids.add(record.id()), () -> record.id() + " was seen twice");
      assertEquals(Optional.of(v(1)), record.fields().lowestVersion());
    }
    for (int even = 0; even < count; even += 2) {
      assertTrue(ids.contains(id(even)), id(even) + " was not seen");
    }
  }

  private static void insert(RecordsFixture fixture, StoredRecord record) {
    assertEquals(new Stored(), fixture.records().insert(record));
  }

  private static List<StoredRecord> scanAll(Records records, KekVersion version) {
    List<StoredRecord> all = new ArrayList<>();
    List<StoredRecord> page = records.scan(version, PAGE);
    while (!page.isEmpty()) {
      all.addAll(page);
      page = records.scan(version, page.getLast().id(), PAGE);
    }
    return all;
  }

  private static Set<RecordId> ids(int... numbers) {
    Set<RecordId> ids = new HashSet<>();
    for (int number : numbers) {
      ids.add(id(number));
    }
    return ids;
  }

  private static Set<RecordId> idsOf(List<StoredRecord> records) {
    Set<RecordId> ids = new HashSet<>();
    records.forEach(record -> ids.add(record.id()));
    return ids;
  }
}
