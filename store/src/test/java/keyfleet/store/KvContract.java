package keyfleet.store;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.key;
import static keyfleet.store.StoreFixtures.value;
import static keyfleet.store.StoreFixtures.written;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import keyfleet.store.ChangeHint.Changed;
import keyfleet.store.ChangeHint.Missed;
import keyfleet.store.DeleteResult.Deleted;
import org.junit.jupiter.api.Test;

/// What a single client at a time may expect of a [Kv].
public interface KvContract {
  /// Short, because the test of a real store has to wait for it.
  Duration LIFETIME = Duration.ofSeconds(2);

  Bucket BEATS = new Bucket.Expiring("beats", LIFETIME);
  Key A = new Key("a");
  Key B = new Key("b");

  /// Creates a fixture around an empty store.
  KvFixture rig();

  /// How long a hint may take.
  default Duration hintLimit() {
    return Duration.ofSeconds(10);
  }

  /// How many keys a list must be able to return.
  default int crowd() {
    return 100_000;
  }

  @Test
  default void acknowledgedWrite_isReadAtOnce() {
    try (KvFixture rig = rig()) {
      assertEquals(Optional.empty(), rig.kv().get(THINGS, A));
      for (int i = 0; i < 100; i++) {
        Value value = value("take " + i);
        Revision revision = written(rig.kv().put(THINGS, A, value));
        Entry entry = rig.kv().get(THINGS, A).orElseThrow(() -> new AssertionError("lost"));
        assertEquals(List.of(A, value, revision), threeOf(entry));
      }
    }
  }

  @Test
  default void createOfTakenKey_conflicts() {
    try (KvFixture rig = rig()) {
      written(rig.kv().create(THINGS, A, value("one")));
      assertEquals(new Conflict(), rig.kv().create(THINGS, A, value("two")));
      assertEquals("one", textOf(rig.kv(), A));
    }
  }

  @Test
  default void update_needsTheLatestRevision() {
    try (KvFixture rig = rig()) {
      Kv kv = rig.kv();
      Revision first = written(kv.create(THINGS, A, value("one")));
      Revision second = written(kv.update(THINGS, A, value("two"), first));
      assertTrue(second.compareTo(first) > 0, second + " after " + first);
      assertEquals(new Conflict(), kv.update(THINGS, A, value("three"), first));
      assertEquals("two", textOf(kv, A));
    }
  }

  @Test
  default void updateOfAbsentKey_conflicts() {
    try (KvFixture rig = rig()) {
      assertEquals(new Conflict(), rig.kv().update(THINGS, A, value("one"), new Revision(1)));
      assertEquals(Optional.empty(), rig.kv().get(THINGS, A));
    }
  }

  @Test
  default void updateByRevisionOfAnotherKey_conflicts() {
    try (KvFixture rig = rig()) {
      written(rig.kv().create(THINGS, A, value("a")));
      written(rig.kv().put(THINGS, B, value("b")));
      Revision other = written(rig.kv().put(THINGS, B, value("b2")));
      assertEquals(new Conflict(), rig.kv().update(THINGS, A, value("a2"), other));
    }
  }

  @Test
  default void delete_needsTheLatestRevision() {
    try (KvFixture rig = rig()) {
      Kv kv = rig.kv();
      Revision first = written(kv.create(THINGS, A, value("one")));
      Revision second = written(kv.update(THINGS, A, value("two"), first));
      assertEquals(new Conflict(), kv.delete(THINGS, A, first));
      assertEquals("two", textOf(kv, A));
      assertEquals(new Deleted(), kv.delete(THINGS, A, second));
      assertEquals(Optional.empty(), kv.get(THINGS, A));
      assertEquals(new Conflict(), kv.delete(THINGS, A, second));
    }
  }

  @Test
  default void createAfterDelete_hasHigherRevision() {
    try (KvFixture rig = rig()) {
      Kv kv = rig.kv();
      Revision last = written(kv.create(THINGS, A, value("first life")));
      for (int life = 0; life < 20; life++) {
        assertEquals(new Deleted(), kv.delete(THINGS, A, last));
        assertEquals(new Conflict(), kv.update(THINGS, A, value("ghost"), last));
        Revision next = written(kv.create(THINGS, A, value("same bytes")));
        assertTrue(next.compareTo(last) > 0, next + " after " + last);
        assertEquals(new Conflict(), kv.update(THINGS, A, value("ghost"), last));
        last = next;
      }
    }
  }

  @Test
  default void unrefreshedEntry_isGoneAfterItsLifetime() {
    try (KvFixture rig = rig()) {
      Kv kv = rig.kv();
      Revision stale = written(kv.put(BEATS, A, value("one")));
      rig.pass(LIFETIME.dividedBy(2));
      assertTrue(kv.get(BEATS, A).isPresent(), "gone after half its lifetime");
      rig.pass(LIFETIME);
      assertEquals(Optional.empty(), kv.get(BEATS, A));
      assertEquals(List.of(), kv.list(BEATS, Prefix.ALL));
      assertEquals(new Conflict(), kv.update(BEATS, A, value("late"), stale));
      assertEquals(new Conflict(), kv.delete(BEATS, A, stale));
      Revision next = written(kv.create(BEATS, A, value("two")));
      assertTrue(next.compareTo(stale) > 0, next + " after " + stale);
    }
  }

  @Test
  default void refreshedEntry_staysBeyondItsLifetime() {
    try (KvFixture rig = rig()) {
      Kv kv = rig.kv();
      Revision last = written(kv.put(BEATS, A, value("beat")));
      written(kv.put(BEATS, B, value("beat")));
      for (int i = 0; i < 4; i++) {
        rig.pass(LIFETIME.dividedBy(2));
        last = written(kv.update(BEATS, A, value("beat " + i), last));
      }
      assertEquals(List.of(A), keys(kv.list(BEATS, Prefix.ALL)));
    }
  }

  @Test
  default void entryOfLastingBucket_doesNotExpire() {
    try (KvFixture rig = rig()) {
      written(rig.kv().put(THINGS, A, value("one")));
      rig.pass(LIFETIME.multipliedBy(3));
      assertEquals("one", textOf(rig.kv(), A));
    }
  }

  @Test
  default void bucketOfOtherLifetime_isRefused() {
    try (KvFixture rig = rig()) {
      written(rig.kv().put(BEATS, A, value("one")));
      Bucket other = new Bucket.Expiring(BEATS.name(), LIFETIME.multipliedBy(2));
      assertThrows(IllegalArgumentException.class, () -> rig.kv().get(other, A));
    }
  }

  @Test
  default void sameKeyInTwoBuckets_isTwoEntries() {
    try (KvFixture rig = rig()) {
      written(rig.kv().create(THINGS, A, value("thing")));
      written(rig.kv().create(BEATS, A, value("beat")));
      assertEquals("thing", textOf(rig.kv(), A));
    }
  }

  @Test
  default void list_givesTheBranchInOrder() {
    try (KvFixture rig = rig()) {
      Kv kv = rig.kv();
      List<String> keys =
          List.of("n.b", "n.a", "n", "nn.a", "n.a.x", "N.a", "n.B", "n.10", "n.9", "n-a", "n.a_b");
      keys.forEach(it -> written(kv.create(THINGS, key(it), value(it))));
      List<Key> branch = keys(kv.list(THINGS, Prefix.under(key("n"))));
      assertEquals(keysOf("n.10", "n.9", "n.B", "n.a", "n.a.x", "n.a_b", "n.b"), branch);
      assertEquals(
          keys.stream().sorted().map(Key::new).toList(), keys(kv.list(THINGS, Prefix.ALL)));
    }
  }

  @Test
  default void listOfCrowd_givesEveryKeyOnce() {
    try (KvFixture rig = rig()) {
      List<Key> keys = new ArrayList<>();
      for (int i = 0; i < crowd(); i++) {
        keys.add(key("crowd.%06d".formatted(i)));
      }
      rig.fill(THINGS, keys);
      written(rig.kv().create(THINGS, A, value("not in the list")));
      List<Entry> listed = rig.kv().list(THINGS, Prefix.under(key("crowd")));
      assertEquals(keys, keys(listed));
      List<Entry> shown = new ArrayList<>();
      rig.kv().list(THINGS, Prefix.under(key("crowd")), shown::add);
      assertEquals(listed, shown);
      assertTrue(listed.stream().allMatch(it -> it.value().text().equals(it.key().value())));
    }
  }

  @Test
  default void list_givesTheLatestOfEachKey() {
    try (KvFixture rig = rig()) {
      Kv kv = rig.kv();
      Revision one = written(kv.create(THINGS, A, value("one")));
      Revision two = written(kv.update(THINGS, A, value("two"), one));
      Revision gone = written(kv.create(THINGS, B, value("gone")));
      assertEquals(new Deleted(), kv.delete(THINGS, B, gone));
      List<Entry> listed = kv.list(THINGS, Prefix.ALL);
      assertEquals(1, listed.size(), () -> "listed " + listed);
      assertEquals(List.of(A, value("two"), two), threeOf(listed.getFirst()));
    }
  }

  @Test
  default void watch_hintsAtEachKindOfChange() {
    try (KvFixture rig = rig()) {
      Kv kv = rig.kv();
      BlockingQueue<ChangeHint> hints = new LinkedBlockingQueue<>();
      List<ChangeHint> all = new CopyOnWriteArrayList<>();
      Watch watch = kv.watch(THINGS, Prefix.under(A), it -> addTo(it, all, hints));
      Key inside = key("a.x");
      written(kv.create(THINGS, key("b.x"), value("outside")));
      Revision revision = written(kv.create(THINGS, inside, value("one")));
      awaitHint(hints, new Changed(inside));
      revision = written(kv.update(THINGS, inside, value("two"), revision));
      awaitHint(hints, new Changed(inside));
      assertEquals(new Deleted(), kv.delete(THINGS, inside, revision));
      awaitHint(hints, new Changed(inside));
      assertFalse(all.contains(new Changed(key("b.x"))), () -> "outside the branch: " + all);
      watch.close();
    }
  }

  @Test
  default void watchThatWasCut_saysSoAndListingHeals() {
    try (KvFixture rig = rig()) {
      Kv kv = rig.kv();
      BlockingQueue<ChangeHint> hints = new LinkedBlockingQueue<>();
      Watch watch = kv.watch(THINGS, Prefix.ALL, hints::add);
      rig.whileWatchesAreCut(() -> written(kv.create(THINGS, A, value("unseen"))));
      awaitHint(hints, new Missed());
      assertEquals(List.of(A), keys(kv.list(THINGS, Prefix.ALL)));
      written(kv.create(THINGS, B, value("seen again")));
      awaitHint(hints, new Changed(B));
      watch.close();
    }
  }

  @Test
  default void closedWatch_isQuiet() {
    try (KvFixture rig = rig()) {
      BlockingQueue<ChangeHint> closed = new LinkedBlockingQueue<>();
      BlockingQueue<ChangeHint> open = new LinkedBlockingQueue<>();
      rig.kv().watch(THINGS, Prefix.ALL, closed::add).close();
      Watch watch = rig.kv().watch(THINGS, Prefix.ALL, open::add);
      written(rig.kv().create(THINGS, A, value("one")));
      awaitHint(open, new Changed(A));
      assertEquals(List.of(), List.copyOf(closed));
      watch.close();
    }
  }

  @Test
  default void storeTime_neverGoesBack() {
    try (KvFixture rig = rig()) {
      Kv kv = rig.kv();
      StoreTime last = kv.storeTime();
      for (int i = 0; i < 50; i++) {
        written(kv.put(THINGS, A, value("take " + i)));
        StoreTime writtenAt = kv.get(THINGS, A).orElseThrow().writtenAt();
        StoreTime now = kv.storeTime();
        assertInOrder(last, writtenAt, now);
        last = now;
      }
      rig.pass(LIFETIME);
      Duration passed = kv.storeTime().since(last);
      assertTrue(
          passed.compareTo(LIFETIME) >= 0,
          () -> LIFETIME + " passed, store time moved by " + passed);
    }
  }

  @Test
  default void valueOfAnyBytesUpToTheLimit_isKeptExactly() {
    try (KvFixture rig = rig()) {
      byte[] bytes = new byte[Value.MAX_BYTES];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) i;
      }
      for (int length : new int[] {0, 1, 256, Value.MAX_BYTES}) {
        Value value = new Value(Bytes.copyOf(Arrays.copyOf(bytes, length)));
        written(rig.kv().put(THINGS, A, value));
        assertEquals(Optional.of(value), rig.kv().get(THINGS, A).map(Entry::value));
      }
    }
  }

  @Test
  default void longestKey_isKept() {
    try (KvFixture rig = rig()) {
      Key longest = key("k".repeat(Key.MAX_LENGTH - 2) + ".z");
      written(rig.kv().create(THINGS, longest, value("one")));
      assertEquals(List.of(longest), keys(rig.kv().list(THINGS, Prefix.ALL)));
    }
  }

  private static List<Object> threeOf(Entry entry) {
    return List.of(entry.key(), entry.value(), entry.revision());
  }

  private static String textOf(Kv kv, Key key) {
    return kv.get(THINGS, key).map(it -> it.value().text()).orElse("nothing");
  }

  private static List<Key> keys(List<Entry> entries) {
    return entries.stream().map(Entry::key).toList();
  }

  private static List<Key> keysOf(String... keys) {
    return Arrays.stream(keys).map(Key::new).toList();
  }

  private static void assertInOrder(StoreTime... times) {
    List<StoreTime> told = List.of(times);
    assertEquals(told.stream().sorted().toList(), told, "store time went back");
  }

  private static void addTo(
      ChangeHint hint, Collection<ChangeHint> one, Collection<ChangeHint> other) {
    one.add(hint);
    other.add(hint);
  }

  /// Hints may be duplicated or mixed with others, so this skips all but the awaited one.
  private void awaitHint(BlockingQueue<ChangeHint> hints, ChangeHint awaited) {
    try {
      ChangeHint hint;
      do {
        hint = hints.poll(hintLimit().toMillis(), TimeUnit.MILLISECONDS);
        assertTrue(hint != null, () -> "no hint " + awaited + " in " + hintLimit());
      } while (!awaited.equals(hint));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for " + awaited, e);
    }
  }
}
