package keyfleet.store;

import static keyfleet.store.StoreFixtures.fence;
import static keyfleet.store.StoreFixtures.id;
import static keyfleet.store.StoreFixtures.record;
import static keyfleet.store.StoreFixtures.sealed;
import static keyfleet.store.StoreFixtures.v;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Fence.Term;
import keyfleet.store.RecordWriteResult.Stored;
import org.junit.jupiter.api.Test;

class FenceTest {
  private static final int VERSIONS = 4;
  private static final Fence FENCE = fence(5, 3);

  @Test
  void fenceThatLeavesNothingWritable_isRefused() {
    assertThrows(IllegalArgumentException.class, () -> Fence.of(new Term(1, 1), Set.of()));
  }

  /// Random writes against the fence: neither count of a version outside it ever grows.
  @Test
  void countsOutsideTheFence_neverGrow() {
    int stored = 0;
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      FakeRecords records = new FakeRecords();
      for (int i = 0; i < 10; i++) {
        records.insert(record(i, version(random), version(random)));
      }
      records.fence(FENCE);
      Census last = records.census();
      for (int step = 0; step < 100; step++) {
        stored += write(records, random) instanceof Stored ? 1 : 0;
        Census next = records.census();
        assertNoGrowth(last.belonging(), next.belonging(), seed);
        assertNoGrowth(last.carrying(), next.carrying(), seed);
        last = next;
      }
    }
    assertTrue(stored > 200, "too few writes succeeded: " + stored);
  }

  private static RecordWriteResult write(FakeRecords records, Random random) {
    int id = random.nextInt(20);
    Optional<StoredRecord> found = records.read(id(id));
    if (found.isEmpty()) {
      return records.insert(record(id, version(random), version(random)));
    }
    Map<String, Bytes> fields = new HashMap<>(found.get().fields().byName());
    fields.replaceAll((_, old) ->
        random.nextBoolean() ? old : sealed(random.nextBoolean() ? 3 : version(random)));
    return records.compareAndSet(new RecordChange(found.get(), SealedFields.of(fields)));
  }

  private static int version(Random random) {
    return 1 + random.nextInt(VERSIONS);
  }

  private static void assertNoGrowth(
      SortedMap<KekVersion, Long> before, SortedMap<KekVersion, Long> after, int seed) {
    for (int number = 1; number <= VERSIONS; number++) {
      KekVersion version = v(number);
      assertTrue(
          FENCE.writable().contains(version)
              || after.getOrDefault(version, 0L) <= before.getOrDefault(version, 0L),
          () -> "seed " + seed + ", " + version + ": " + before + " became " + after);
    }
  }
}
