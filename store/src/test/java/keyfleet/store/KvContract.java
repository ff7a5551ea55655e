package keyfleet.store;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.assertWritten;
import static keyfleet.store.StoreFixtures.key;
import static keyfleet.store.StoreFixtures.value;
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
public interface KvContract extends ContractSuite {
  /// Short, because the test of a real store has to wait for it.
  Duration LIFETIME = Duration.ofSeconds(2);

  Bucket HEARTBEATS = new Bucket.Expiring("beats", LIFETIME);
  Key A = new Key("a");
  Key B = new Key("b");

  @Override
  KvFixture fixture();

  /// How long a hint may take.
  default Duration hintLimit() {
    return Duration.ofSeconds(10);
  }

  /// How many keys a list must be able to return.
  default int listSize() {
    return 100_000;
  }

  @Test
  default void acknowledgedWrite_isReadAtOnce(KvFixture fixture) {
    assertEquals(Optional.empty(), fixture.kv().get(THINGS, A));
    for (int i = 0; i < 100; i++) {
      Value value = value("take " + i);
      Revision revision = assertWritten(fixture.kv().put(THINGS, A, value));
      Entry entry = fixture.kv().get(THINGS, A).orElseThrow(() -> new AssertionError("lost"));
      assertEquals(List.of(A, value, revision), keyValueRevision(entry));
    }
  }

  @Test
  default void createOfTakenKey_conflicts(KvFixture fixture) {
    assertWritten(fixture.kv().create(THINGS, A, value("one")));
    assertEquals(new Conflict(), fixture.kv().create(THINGS, A, value("two")));
    assertEquals("one", textOf(fixture.kv(), A));
  }

  @Test
  default void update_needsTheLatestRevision(KvFixture fixture) {
    Kv kv = fixture.kv();
    Revision first = assertWritten(kv.create(THINGS, A, value("one")));
    Revision second = assertWritten(kv.update(THINGS, A, value("two"), first));
    assertTrue(second.compareTo(first) > 0, second + " after " + first);
    assertEquals(new Conflict(), kv.update(THINGS, A, value("three"), first));
    assertEquals("two", textOf(kv, A));
  }

  @Test
  default void updateOfAbsentKey_conflicts(KvFixture fixture) {
    assertEquals(new Conflict(), fixture.kv().update(THINGS, A, value("one"), new Revision(1)));
    assertEquals(Optional.empty(), fixture.kv().get(THINGS, A));
  }

  @Test
  default void updateByRevisionOfAnotherKey_conflicts(KvFixture fixture) {
    assertWritten(fixture.kv().create(THINGS, A, value("a")));
    assertWritten(fixture.kv().put(THINGS, B, value("b")));
    Revision other = assertWritten(fixture.kv().put(THINGS, B, value("b2")));
    assertEquals(new Conflict(), fixture.kv().update(THINGS, A, value("a2"), other));
  }

  @Test
  default void delete_needsTheLatestRevision(KvFixture fixture) {
    Kv kv = fixture.kv();
    Revision first = assertWritten(kv.create(THINGS, A, value("one")));
    Revision second = assertWritten(kv.update(THINGS, A, value("two"), first));
    assertEquals(new Conflict(), kv.delete(THINGS, A, first));
    assertEquals("two", textOf(kv, A));
    assertEquals(new Deleted(), kv.delete(THINGS, A, second));
    assertEquals(Optional.empty(), kv.get(THINGS, A));
    assertEquals(new Conflict(), kv.delete(THINGS, A, second));
  }

  @Test
  default void createAfterDelete_hasHigherRevision(KvFixture fixture) {
    Kv kv = fixture.kv();
    Revision last = assertWritten(kv.create(THINGS, A, value("first life")));
    for (int life = 0; life < 20; life++) {
      assertEquals(new Deleted(), kv.delete(THINGS, A, last));
      assertEquals(new Conflict(), kv.update(THINGS, A, value("ghost"), last));
      Revision next = assertWritten(kv.create(THINGS, A, value("same bytes")));
      assertTrue(next.compareTo(last) > 0, next + " after " + last);
      assertEquals(new Conflict(), kv.update(THINGS, A, value("ghost"), last));
      last = next;
    }
  }

  @Test
  default void unrefreshedEntry_isGoneAfterItsLifetime(KvFixture fixture) {
    Kv kv = fixture.kv();
    Revision stale = assertWritten(kv.put(HEARTBEATS, A, value("one")));
    fixture.advanceTime(LIFETIME.dividedBy(2));
    assertTrue(kv.get(HEARTBEATS, A).isPresent(), "gone after half its lifetime");
    fixture.advanceTime(LIFETIME);
    assertEquals(Optional.empty(), kv.get(HEARTBEATS, A));
    assertEquals(List.of(), kv.list(HEARTBEATS, Prefix.ALL));
    assertEquals(new Conflict(), kv.update(HEARTBEATS, A, value("late"), stale));
    assertEquals(new Conflict(), kv.delete(HEARTBEATS, A, stale));
    Revision next = assertWritten(kv.create(HEARTBEATS, A, value("two")));
    assertTrue(next.compareTo(stale) > 0, next + " after " + stale);
  }

  @Test
  default void refreshedEntry_staysBeyondItsLifetime(KvFixture fixture) {
    Kv kv = fixture.kv();
    Revision last = assertWritten(kv.put(HEARTBEATS, A, value("beat")));
    assertWritten(kv.put(HEARTBEATS, B, value("beat")));
    for (int i = 0; i < 4; i++) {
      fixture.advanceTime(LIFETIME.dividedBy(2));
      last = assertWritten(kv.update(HEARTBEATS, A, value("beat " + i), last));
    }
    assertEquals(List.of(A), keys(kv.list(HEARTBEATS, Prefix.ALL)));
  }

  @Test
  default void entryOfLastingBucket_doesNotExpire(KvFixture fixture) {
    assertWritten(fixture.kv().put(THINGS, A, value("one")));
    fixture.advanceTime(LIFETIME.multipliedBy(3));
    assertEquals("one", textOf(fixture.kv(), A));
  }

  @Test
  default void bucketOfOtherLifetime_isRefused(KvFixture fixture) {
    assertWritten(fixture.kv().put(HEARTBEATS, A, value("one")));
    Bucket other = new Bucket.Expiring(HEARTBEATS.name(), LIFETIME.multipliedBy(2));
    assertThrows(IllegalArgumentException.class, () -> fixture.kv().get(other, A));
  }

  @Test
  default void sameKeyInTwoBuckets_isTwoEntries(KvFixture fixture) {
    assertWritten(fixture.kv().create(THINGS, A, value("thing")));
    assertWritten(fixture.kv().create(HEARTBEATS, A, value("beat")));
    assertEquals("thing", textOf(fixture.kv(), A));
  }

  @Test
  default void list_returnsKeysUnderPrefixInOrder(KvFixture fixture) {
    Kv kv = fixture.kv();
    List<String> keys =
        List.of("n.b", "n.a", "n", "nn.a", "n.a.x", "N.a", "n.B", "n.10", "n.9", "n-a", "n.a_b");
    keys.forEach(it -> assertWritten(kv.create(THINGS, key(it), value(it))));
    List<Key> listed = keys(kv.list(THINGS, Prefix.under(key("n"))));
    assertEquals(keysOf("n.10", "n.9", "n.B", "n.a", "n.a.x", "n.a_b", "n.b"), listed);
    assertEquals(keys.stream().sorted().map(Key::new).toList(), keys(kv.list(THINGS, Prefix.ALL)));
  }

  @Test
  default void listOfManyKeys_returnsEachKeyOnce(KvFixture fixture) {
    List<Key> keys = new ArrayList<>();
    for (int i = 0; i < listSize(); i++) {
      keys.add(key("many.%06d".formatted(i)));
    }
    fixture.fill(THINGS, keys);
    assertWritten(fixture.kv().create(THINGS, A, value("not in the list")));
    List<Entry> listed = fixture.kv().list(THINGS, Prefix.under(key("many")));
    assertEquals(keys, keys(listed));
    List<Entry> streamed = new ArrayList<>();
    fixture.kv().list(THINGS, Prefix.under(key("many")), streamed::add);
    assertEquals(listed, streamed);
    assertTrue(listed.stream().allMatch(it -> it.value().text().equals(it.key().value())));
  }

  @Test
  default void list_returnsLatestValueOfEachKey(KvFixture fixture) {
    Kv kv = fixture.kv();
    Revision one = assertWritten(kv.create(THINGS, A, value("one")));
    Revision two = assertWritten(kv.update(THINGS, A, value("two"), one));
    Revision gone = assertWritten(kv.create(THINGS, B, value("gone")));
    assertEquals(new Deleted(), kv.delete(THINGS, B, gone));
    List<Entry> listed = kv.list(THINGS, Prefix.ALL);
    assertEquals(1, listed.size(), () -> "listed " + listed);
    assertEquals(List.of(A, value("two"), two), keyValueRevision(listed.getFirst()));
  }

  @Test
  default void watch_givesHintForEachKindOfChange(KvFixture fixture) {
    Kv kv = fixture.kv();
    BlockingQueue<ChangeHint> hints = new LinkedBlockingQueue<>();
    List<ChangeHint> all = new CopyOnWriteArrayList<>();
    Watch watch = kv.watch(THINGS, Prefix.under(A), it -> addTo(it, all, hints));
    Key inside = key("a.x");
    assertWritten(kv.create(THINGS, key("b.x"), value("outside")));
    Revision revision = assertWritten(kv.create(THINGS, inside, value("one")));
    awaitHint(hints, new Changed(inside));
    revision = assertWritten(kv.update(THINGS, inside, value("two"), revision));
    awaitHint(hints, new Changed(inside));
    assertEquals(new Deleted(), kv.delete(THINGS, inside, revision));
    awaitHint(hints, new Changed(inside));
    assertFalse(all.contains(new Changed(key("b.x"))), () -> "outside the prefix: " + all);
    watch.close();
  }

  @Test
  default void disconnectedWatch_reportsMissedChanges(KvFixture fixture) {
    Kv kv = fixture.kv();
    BlockingQueue<ChangeHint> hints = new LinkedBlockingQueue<>();
    Watch watch = kv.watch(THINGS, Prefix.ALL, hints::add);
    fixture.runWithWatchesDisconnected(() -> assertWritten(kv.create(THINGS, A, value("unseen"))));
    awaitHint(hints, new Missed());
    assertEquals(List.of(A), keys(kv.list(THINGS, Prefix.ALL)));
    assertWritten(kv.create(THINGS, B, value("seen again")));
    awaitHint(hints, new Changed(B));
    watch.close();
  }

  @Test
  default void closedWatch_givesNoHint(KvFixture fixture) {
    BlockingQueue<ChangeHint> closed = new LinkedBlockingQueue<>();
    BlockingQueue<ChangeHint> open = new LinkedBlockingQueue<>();
    fixture.kv().watch(THINGS, Prefix.ALL, closed::add).close();
    Watch watch = fixture.kv().watch(THINGS, Prefix.ALL, open::add);
    assertWritten(fixture.kv().create(THINGS, A, value("one")));
    awaitHint(open, new Changed(A));
    assertEquals(List.of(), List.copyOf(closed));
    watch.close();
  }

  @Test
  default void throwingWatcher_stopsNoWatch(KvFixture fixture) {
    BlockingQueue<ChangeHint> thrown = new LinkedBlockingQueue<>();
    BlockingQueue<ChangeHint> others = new LinkedBlockingQueue<>();
    Watch throwing =
        fixture
            .kv()
            .watch(
                THINGS,
                Prefix.ALL,
                hint -> {
                  thrown.add(hint);
                  throw new IllegalStateException("a bug of a watcher");
                });
    Watch other = fixture.kv().watch(THINGS, Prefix.ALL, others::add);
    for (Key key : List.of(A, B)) {
      assertWritten(fixture.kv().create(THINGS, key, value("one")));
      awaitHint(thrown, new Changed(key));
      awaitHint(others, new Changed(key));
    }
    throwing.close();
    other.close();
  }

  @Test
  default void storeTime_neverGoesBack(KvFixture fixture) {
    Kv kv = fixture.kv();
    StoreTime last = kv.storeTime();
    for (int i = 0; i < 50; i++) {
      assertWritten(kv.put(THINGS, A, value("take " + i)));
      StoreTime writtenAt = kv.get(THINGS, A).orElseThrow().writtenAt();
      StoreTime now = kv.storeTime();
      assertInOrder(last, writtenAt, now);
      last = now;
    }
    fixture.advanceTime(LIFETIME);
    Duration passed = kv.storeTime().since(last);
    assertTrue(
        passed.compareTo(LIFETIME) >= 0, () -> LIFETIME + " passed, store time moved by " + passed);
  }

  @Test
  default void valueOfAnyBytesUpToTheLimit_isStoredExactly(KvFixture fixture) {
    byte[] bytes = new byte[Value.MAX_BYTES];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    for (int length : new int[] {0, 1, 256, Value.MAX_BYTES}) {
      Value value = new Value(Bytes.copyOf(Arrays.copyOf(bytes, length)));
      assertWritten(fixture.kv().put(THINGS, A, value));
      assertEquals(Optional.of(value), fixture.kv().get(THINGS, A).map(Entry::value));
    }
  }

  @Test
  default void longestKey_isStored(KvFixture fixture) {
    Key longest = key("k".repeat(Key.MAX_LENGTH - 2) + ".z");
    assertWritten(fixture.kv().create(THINGS, longest, value("one")));
    assertEquals(List.of(longest), keys(fixture.kv().list(THINGS, Prefix.ALL)));
  }

  private static List<Object> keyValueRevision(Entry entry) {
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
    List<StoreTime> given = List.of(times);
    assertEquals(given.stream().sorted().toList(), given, "store time went back");
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
