package keyfleet.member;

import static keyfleet.member.MemberFixtures.ORDERS;
import static keyfleet.member.MemberFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import keyfleet.member.MemberException.Contended;
import keyfleet.member.MemberException.Fenced;
import keyfleet.member.MemberException.StoreUnavailable;
import keyfleet.store.FakeRecords;
import keyfleet.store.Fence;
import keyfleet.store.ForwardingRecords;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.Records;
import keyfleet.store.StoredRecord;
import keyfleet.store.Unknown;
import keyfleet.store.UnreliableKv.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SealedRecordsTest {
  private final TestFleet fleet = TestFleet.ofVersion1();
  private final Member member =
      fleet.member("api-1").collection(TestEngine.NAME, fleet.engine(), ORDERS).join();
  private final SealedRecords orders = member.records("orders");
  private final FakeRecords stored = fleet.engine().collection("orders");

  private static PlainFields card(String text) {
    return PlainFields.ofTexts(Map.of("card", text));
  }

  private static PlainFields both(String card, String name) {
    return PlainFields.ofTexts(Map.of("card", card, "name", name));
  }

  private String text(String field) {
    try (PlainFields found = orders.find("o-1").orElseThrow()) {
      return found.text(field);
    }
  }

  @Test
  void record_isInsertedReadUpdatedAndDeleted() {
    assertTrue(orders.find("o-1").isEmpty());
    assertFalse(orders.update("o-1", card("1")));
    assertTrue(orders.insert("o-1", both("4111", "Ada")));
    assertFalse(orders.insert("o-1", both("5500", "Bob")));
    assertTrue(orders.update("o-1", card("5500")));
    assertEquals("5500", text("card"));
    assertEquals("Ada", text("name"));
    assertTrue(orders.delete("o-1"));
    assertFalse(orders.delete("o-1"));
  }

  @Test
  void updateAfterAFlip_leavesNoMixedRecord() {
    orders.insert("o-1", both("4111", "Ada"));
    fleet.keys().give(2);
    fleet.rotation().announce(2);
    fleet.rotation().stage(2);
    fleet.rotation().flip();
    fleet.advance(Duration.ofSeconds(2));
    orders.update("o-1", card("5500"));
    assertEquals(Set.of(v(2)), stored.read(new RecordId("o-1")).orElseThrow().fields().versions());
  }

  @Test
  void wholeRotation_leavesEveryRecordReadable() {
    for (int i = 0; i < 250; i++) {
      orders.insert("o-" + i, both("card " + i, "name " + i));
    }
    fleet.keys().give(2);
    fleet.rotation().announce(2);
    fleet.rotation().stage(2);
    fleet.rotation().flip();
    fleet.advance(Duration.ofSeconds(2));
    fleet.rotation().complete();
    fleet.keys().take(1);
    fleet.advance(Duration.ofSeconds(33));
    assertEquals(Set.of(v(2)), stored.census().carrying().keySet());
    for (int i = 0; i < 250; i++) {
      try (PlainFields found = orders.find("o-" + i).orElseThrow()) {
        assertEquals("card " + i, found.text("card"));
      }
    }
  }

  /// The process slept through a flip and its clock stood still, so its lease seems to hold.
  @Test
  void writeBehindTheFence_isRefusedUntilTheFlipIsSeen() {
    orders.insert("o-1", both("4111", "Ada"));
    fleet.keys().give(2);
    fleet.rotation().announce(2);
    fleet.rotation().stage(2);
    fleet.rotation().flip();
    stored.fence(Fence.of(new Fence.Term(1, 2), Set.of(v(2))));
    Fenced refused = assertThrows(Fenced.class, () -> orders.insert("o-2", both("1", "2")));
    assertEquals("seal the value again, then write it", refused.remedy());
    fleet.advance(Duration.ofSeconds(2));
    assertTrue(orders.insert("o-2", both("1", "2")));
    assertTrue(orders.update("o-1", card("5500")));
  }

  @Test
  void storeThatDoesNotAnswer_throwsStoreUnavailable() {
    fleet.engine().disconnect();
    assertThrows(StoreUnavailable.class, () -> orders.find("o-1"));
    assertThrows(StoreUnavailable.class, () -> orders.insert("o-1", card("1")));
  }

  private SealedRecords withFaults(Supplier<Fault> faults) {
    return new SealedRecords(orders.cipher(), new UnreliableRecords(stored, faults));
  }

  /// The first write of a call meets the fault, later ones do not.
  @ParameterizedTest
  @EnumSource(Fault.class)
  void writeWithoutAClearAnswer_isResolvedByReadingBack(Fault fault) {
    Deque<Fault> next = new ArrayDeque<>(List.of(fault));
    SealedRecords unreliable = withFaults(() -> next.isEmpty() ? Fault.NONE : next.pop());
    assertTrue(unreliable.insert("o-1", both("4111", "Ada")));
    assertEquals("4111", text("card"));
    next.add(fault);
    assertTrue(unreliable.update("o-1", card("5500")));
    assertEquals("5500", text("card"));
    assertEquals("Ada", text("name"));
  }

  /// Seen before: the insert was reported as "exists already", and the update was made twice.
  @Test
  void writeThatWasRewrappedBeforeItsReadBack_isRecognised() {
    Records rewrapping =
        new ForwardingRecords() {
          private int active = 1;

          @Override
          public Records inner() {
            return stored;
          }

          @Override
          public RecordWriteResult insert(StoredRecord added) {
            return rewrap(stored.insert(added));
          }

          @Override
          public RecordWriteResult compareAndSet(RecordChange change) {
            return rewrap(stored.compareAndSet(change));
          }

          private RecordWriteResult rewrap(RecordWriteResult result) {
            assertEquals(new RecordWriteResult.Stored(), result);
            active++;
            fleet.keys().give(active);
            fleet.rotation().announce(active);
            fleet.rotation().stage(active);
            fleet.rotation().flip();
            fleet.rotation().complete();
            fleet.advance(Duration.ofMinutes(2));
            return new Unknown();
          }
        };
    SealedRecords records = new SealedRecords(orders.cipher(), rewrapping);
    assertTrue(records.insert("o-1", both("4111", "Ada")));
    assertTrue(records.update("o-1", card("5500")));
    assertEquals("5500", text("card"));
    assertEquals(3, stored.census().belonging().firstKey().number());
  }

  @Test
  void writeThatNeverGetsAnAnswer_endsAfterSomeAttempts() {
    SealedRecords unanswered = withFaults(() -> Fault.LOST);
    assertThrows(Contended.class, () -> unanswered.insert("o-1", card("1")));
    orders.insert("o-1", both("4111", "Ada"));
    assertThrows(Contended.class, () -> unanswered.update("o-1", card("1")));
    assertEquals("4111", text("card"));
  }

  /// Another writer wins the race against each update.
  @Test
  void updatesThatRace_loseNothing() {
    orders.insert("o-1", both("0", "0"));
    int[] left = {3};
    Records racing =
        new ForwardingRecords() {
          @Override
          public Records inner() {
            return stored;
          }

          @Override
          public RecordWriteResult compareAndSet(RecordChange change) {
            if (left[0]-- > 0) {
              orders.update("o-1", PlainFields.ofTexts(Map.of("name", "by another")));
            }
            return stored.compareAndSet(change);
          }
        };
    assertTrue(new SealedRecords(orders.cipher(), racing).update("o-1", card("mine")));
    assertEquals("mine", text("card"));
    assertEquals("by another", text("name"));
  }

  /// As [keyfleet.store.UnreliableKv], for records.
  private static final class UnreliableRecords implements ForwardingRecords {
    private final Records inner;
    private final Supplier<Fault> faults;
    private Runnable late = () -> {};

    UnreliableRecords(Records inner, Supplier<Fault> faults) {
      this.inner = inner;
      this.faults = faults;
    }

    @Override
    public Records inner() {
      return inner;
    }

    @Override
    public RecordWriteResult insert(StoredRecord added) {
      return runWithFault(() -> inner.insert(added));
    }

    @Override
    public RecordWriteResult compareAndSet(RecordChange change) {
      return runWithFault(() -> inner.compareAndSet(change));
    }

    private RecordWriteResult runWithFault(Supplier<RecordWriteResult> write) {
      late.run();
      late = () -> {};
      return switch (faults.get()) {
        case NONE -> write.get();
        case APPLIED -> {
          var _ = write.get();
          yield new Unknown();
        }
        case LOST -> new Unknown();
        case LATE -> {
          late =
              () -> {
                var _ = write.get();
              };
          yield new Unknown();
        }
      };
    }
  }
}
