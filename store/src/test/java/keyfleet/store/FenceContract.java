package keyfleet.store;

import static keyfleet.store.StoreFixtures.fence;
import static keyfleet.store.StoreFixtures.fields;
import static keyfleet.store.StoreFixtures.id;
import static keyfleet.store.StoreFixtures.record;
import static keyfleet.store.StoreFixtures.rewrapped;
import static keyfleet.store.StoreFixtures.sealed;
import static keyfleet.store.StoreFixtures.v;
import static keyfleet.store.StoreFixtures.with;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import keyfleet.store.DeleteResult.Deleted;
import keyfleet.store.Fence.Term;
import keyfleet.store.FenceResult.Raised;
import keyfleet.store.FenceResult.Refused;
import keyfleet.store.RecordWriteResult.Fenced;
import keyfleet.store.RecordWriteResult.Stored;
import org.junit.jupiter.api.Test;

/// What a fence refuses and what it allows. The old version is 1, the new version is 2.
public interface FenceContract extends ContractSuite {
  Fence NEW_ONLY = fence(5, 2);
  int WRITERS = 7;
  int MAX_INSERTS = 1_000;
  int BEFORE_FENCE = 50;

  @Override
  RecordsFixture fixture();

  @Test
  default void collectionWithoutFence_hasNone(RecordsFixture fixture) {
    assertEquals(Optional.empty(), fixture.records().fence());
  }

  @Test
  default void raisedFence_isStored(RecordsFixture fixture) {
    Fence fence = fence(new Term(3, 5), 2, 4);
    raise(fixture, fence);
    assertEquals(Optional.of(fence), fixture.records().fence());
    raise(fixture, fence);
    assertEquals(Optional.of(fence), fixture.records().fence());
  }

  @Test
  default void oldWriterAfterTheFence_isRefused(RecordsFixture fixture) {
    StoredRecord moved = insert(fixture, record(1, 2, 2));
    raise(fixture, NEW_ONLY);
    assertRefused(fixture, fixture.records().insert(record(2, 1)));
    assertRefused(fixture, fixture.records().insert(record(2, 2, 1)));
    assertEquals(Optional.empty(), fixture.records().read(id(2)));
    assertRefused(fixture, change(fixture, moved, fields(1, 1)));
    assertRefused(fixture, change(fixture, moved, with(moved.fields(), "f1", sealed(1))));
    assertEquals(Optional.of(moved), fixture.records().read(id(1)));
  }

  @Test
  default void writerUnderTheNewVersion_passes(RecordsFixture fixture) {
    StoredRecord old = insert(fixture, record(1, 1, 1));
    raise(fixture, NEW_ONLY);
    assertEquals(new Stored(), fixture.records().insert(record(2, 2)));
    assertEquals(new Stored(), change(fixture, old, fields(2, 2)));
  }

  @Test
  default void recordOfTheOldVersion_mayStayThere(RecordsFixture fixture) {
    StoredRecord old = insert(fixture, record(1, 1, 1));
    raise(fixture, NEW_ONLY);
    assertEquals(new Stored(), change(fixture, old, fields(1, 1)));
  }

  @Test
  default void oneFieldUnderTheNewVersion_passesThoughTheRecordStaysOld(RecordsFixture fixture) {
    StoredRecord old = insert(fixture, record(1, 1, 1));
    raise(fixture, NEW_ONLY);
    SealedFields mixed = with(old.fields(), "f0", sealed(2));
    assertEquals(new Stored(), change(fixture, old, mixed));
    assertEquals(Optional.of(v(1)), mixed.lowestVersion());
  }

  @Test
  default void batchWithOldWrites_losesOnlyThose(RecordsFixture fixture) {
    StoredRecord first = insert(fixture, record(1, 1));
    StoredRecord second = insert(fixture, record(2, 1));
    StoredRecord third = insert(fixture, record(3, 1));
    raise(fixture, NEW_ONLY);
    List<RecordChange> batch =
        List.of(
            new RecordChange(first, fields(2)),
            new RecordChange(second, fields(3)),
            new RecordChange(third, fields(2)));
    assertEquals(
        List.of(new Stored(), new Fenced(NEW_ONLY), new Stored()),
        fixture.records().compareAndSetAll(batch));
    assertEquals(Optional.of(second), fixture.records().read(second.id()));
  }

  @Test
  default void unrelatedColumn_passes(RecordsFixture fixture) {
    StoredRecord old = insert(fixture, record(1, 1));
    StoredRecord moved = insert(fixture, record(2, 2));
    raise(fixture, NEW_ONLY);
    assertEquals(new Stored(), fixture.writeUnrelated(old.id(), "new address"));
    assertEquals(new Stored(), fixture.writeUnrelated(moved.id(), "new address"));
    assertEquals(Optional.of(old), fixture.records().read(old.id()));
  }

  @Test
  default void recordOfTheOldVersion_mayBeDeleted(RecordsFixture fixture) {
    StoredRecord old = insert(fixture, record(1, 1));
    raise(fixture, NEW_ONLY);
    assertEquals(new Deleted(), fixture.records().delete(old));
    assertRefused(fixture, fixture.records().insert(old));
  }

  @Test
  default void fenceOfLowerEpoch_isRefused(RecordsFixture fixture) {
    raise(fixture, NEW_ONLY);
    Fence late = fence(4, 1);
    assertEquals(new Refused(NEW_ONLY), fixture.records().fence(late));
    assertEquals(Optional.of(NEW_ONLY), fixture.records().fence());
    assertRefused(fixture, fixture.records().insert(record(1, 1)));
  }

  /// Incarnations are random, so neither is the later one.
  @Test
  default void fenceOfAnotherIncarnation_isRefused(RecordsFixture fixture) {
    Fence held = fence(new Term(2, 5), 2);
    raise(fixture, held);
    for (Term other : List.of(new Term(1, 9), new Term(3, 9), new Term(3, 5), new Term(-2, 5))) {
      assertEquals(new Refused(held), fixture.records().fence(fence(other, 1)));
    }
    assertEquals(Optional.of(held), fixture.records().fence());
    assertRefused(fixture, fixture.records().insert(record(1, 1)));
  }

  @Test
  default void replacedFence_standsWhateverItsTerm(RecordsFixture fixture) {
    raise(fixture, NEW_ONLY);
    Fence earlier = fence(new Term(-7, 2), 1);
    assertEquals(new Raised(), fixture.records().replaceFence(NEW_ONLY, earlier));
    assertEquals(Optional.of(earlier), fixture.records().fence());
    assertEquals(new Stored(), fixture.records().insert(record(1, 1)));
    assertRefused(fixture, fixture.records().insert(record(2, 2)));
    assertEquals(new Refused(earlier), fixture.records().fence(fence(6, 2)));
    raise(fixture, fence(new Term(-7, 3), 3));
    assertEquals(new Stored(), fixture.records().insert(record(2, 3)));
  }

  @Test
  default void replaceFence_needsThePresentFence(RecordsFixture fixture) {
    Fence next = fence(9, 1);
    assertThrows(StoreException.class, () -> fixture.records().replaceFence(fence(4, 2), next));
    assertEquals(Optional.empty(), fixture.records().fence());
    raise(fixture, NEW_ONLY);
    List<Fence> others =
        List.of(fence(4, 2), fence(6, 2), fence(NEW_ONLY.term(), 2, 3), fence(new Term(2, 5), 2));
    for (Fence other : others) {
      assertEquals(new Refused(NEW_ONLY), fixture.records().replaceFence(other, next));
    }
    assertEquals(Optional.of(NEW_ONLY), fixture.records().fence());
    assertRefused(fixture, fixture.records().insert(record(1, 1)));
  }

  @Test
  default void racedReplaceFence_isWonOnce(RecordsFixture fixture) {
    raise(fixture, NEW_ONLY);
    try (RacingThreads threads = new RacingThreads(4)) {
      List<FenceResult> results =
          threads.race(
              it -> fixture.records().replaceFence(NEW_ONLY, fence(new Term(10 + it, 1), 1 + it)));
      assertEquals(1, Collections.frequency(results, new Raised()), results::toString);
      int winner = results.indexOf(new Raised());
      assertEquals(
          Optional.of(fence(new Term(10 + winner, 1), 1 + winner)), fixture.records().fence());
      assertEquals(new Stored(), fixture.records().insert(record(1, 1 + winner)));
    }
  }

  /// The next rotation opens the fence in the epoch in which the previous one closed it.
  @Test
  default void otherSetOfTheSameTerm_replacesTheEarlier(RecordsFixture fixture) {
    raise(fixture, NEW_ONLY);
    assertRefused(fixture, fixture.records().insert(record(1, 3)));
    Fence opened = fence(NEW_ONLY.term(), 2, 3);
    raise(fixture, opened);
    assertEquals(Optional.of(opened), fixture.records().fence());
    assertEquals(new Stored(), fixture.records().insert(record(1, 3)));
    assertRefused(fixture, fixture.records().insert(record(2, 1)));
  }

  @Test
  default void laterFence_replacesTheEarlier(RecordsFixture fixture) {
    raise(fixture, NEW_ONLY);
    raise(fixture, fence(6, 3));
    assertEquals(new Stored(), fixture.records().insert(record(1, 3)));
    assertInstanceOf(Fenced.class, fixture.records().insert(record(2, 2)));
  }

  /// A rotation from 1 to 2 was aborted: the fence is back at 1, and a paused rewrapper resumes.
  @Test
  default void zombieRewrapperToAbortedVersion_isRefused(RecordsFixture fixture) {
    StoredRecord record = insert(fixture, record(1, 1, 1));
    Fence aborted = fence(6, 1);
    raise(fixture, aborted);
    assertEquals(new Fenced(aborted), change(fixture, record, rewrapped(record, 2)));
    assertEquals(Optional.of(record), fixture.records().read(id(1)));
  }

  /// The same for a record that is itself outside the fence: it may keep its version, but not
  /// change to another one outside.
  @Test
  default void zombieRewrapperOfAnOldRecord_isRefused(RecordsFixture fixture) {
    StoredRecord record = insert(fixture, record(1, 1, 1));
    raise(fixture, fence(6, 3));
    assertInstanceOf(Fenced.class, change(fixture, record, rewrapped(record, 2)));
    SealedFields hidden = with(record.fields(), "f1", sealed(2));
    assertInstanceOf(Fenced.class, change(fixture, record, hidden));
    assertEquals(Optional.of(record), fixture.records().read(id(1)));
  }

  @Test
  default void fieldThatIsNotAnEnvelope_isRefused(RecordsFixture fixture) {
    raise(fixture, NEW_ONLY);
    SealedFields garbage = with(fields(2), "f1", Bytes.copyOf(new byte[200]));
    assertRefused(fixture, fixture.records().insert(new StoredRecord(id(1), garbage)));
  }

  /// Writers do not know the fence and write until it stops them.
  @Test
  default void fenceRaisedDuringWrites_stopsEveryLaterWrite(RecordsFixture fixture) {
    assertStopsEveryLaterWrite(fixture, () -> fixture.records().fence(NEW_ONLY));
  }

  @Test
  default void fenceReplacedDuringWrites_stopsEveryLaterWrite(RecordsFixture fixture) {
    Fence open = fence(new Term(8, 9), 1, 2);
    raise(fixture, open);
    assertStopsEveryLaterWrite(fixture, () -> fixture.records().replaceFence(open, NEW_ONLY));
  }

  private static void assertStopsEveryLaterWrite(
      RecordsFixture fixture, Supplier<FenceResult> raising) {
    try (RacingThreads threads = new RacingThreads(WRITERS + 1)) {
      CountDownLatch busy = new CountDownLatch(BEFORE_FENCE);
      CountDownLatch raised = new CountDownLatch(1);
      List<Census> censuses =
          threads.race(it -> {
            if (it < WRITERS) {
              insertUntilFenced(fixture.records(), it, busy, raised);
              return Census.of(List.of());
            }
            await(busy);
            assertEquals(new Raised(), raising.get());
            raised.countDown();
            return fixture.records().census();
          });
      Census atFence = censuses.getLast();
      assertTrue(atFence.belonging().getOrDefault(v(1), 0L) >= BEFORE_FENCE, atFence::toString);
      assertEquals(atFence, fixture.records().census());
    }
  }

  private static void insertUntilFenced(
      Records records, int writer, CountDownLatch busy, CountDownLatch raised) {
    for (int i = 0; i <= MAX_INSERTS; i++) {
      if (i == MAX_INSERTS) {
        await(raised);
      }
      boolean mustFail = raised.getCount() == 0;
      RecordWriteResult write = records.insert(record(writer * (MAX_INSERTS + 1) + i, 1));
      if (write instanceof Fenced) {
        return;
      }
      assertFalse(mustFail, () -> "writer " + writer + " passed the fence: " + write);
      busy.countDown();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(30, TimeUnit.SECONDS), "the other threads did not get that far");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the other threads", e);
    }
  }

  private static void raise(RecordsFixture fixture, Fence fence) {
    assertEquals(new Raised(), fixture.records().fence(fence));
  }

  private static StoredRecord insert(RecordsFixture fixture, StoredRecord record) {
    assertEquals(new Stored(), fixture.records().insert(record));
    return record;
  }

  private static RecordWriteResult change(
      RecordsFixture fixture, StoredRecord from, SealedFields to) {
    return fixture.records().compareAndSet(new RecordChange(from, to));
  }

  private static void assertRefused(RecordsFixture fixture, RecordWriteResult write) {
    assertEquals(new Fenced(fixture.records().fence().orElseThrow()), write);
  }
}
