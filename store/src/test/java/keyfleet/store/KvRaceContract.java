package keyfleet.store;

import static keyfleet.store.Fixtures.THINGS;
import static keyfleet.store.Fixtures.key;
import static keyfleet.store.Fixtures.value;
import static keyfleet.store.Fixtures.written;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;
import keyfleet.store.Attempt.Creating;
import keyfleet.store.Attempt.Updating;
import keyfleet.store.Fate.Applied;
import keyfleet.store.Fate.Overtaken;
import keyfleet.store.Fate.Pending;
import keyfleet.store.UnsureKv.Trouble;
import org.junit.jupiter.api.Test;

/// What concurrent clients, and clients that get no answer, may expect of a [Kv].
public interface KvRaceContract {
  int RACERS = 8;
  int TRIES = 5;
  int MAX_TRIES_EACH = 10_000;
  int CLIENTS = 4;

  /// This number times [#CLIENTS] must stay within what the checker can search.
  int CALLS = 14;

  Key A = new Key("a");

  /// Creates a fixture around an empty store.
  KvRig rig();

  /// How many races are run.
  default int rounds() {
    return 1_000;
  }

  /// How many histories are checked for linearizability.
  default int histories() {
    return 200;
  }

  @Test
  default void racedCreate_isWonOnce() {
    try (KvRig rig = rig();
        Racers racers = new Racers(RACERS)) {
      for (int i = 0; i < rounds(); i++) {
        Key key = key("race." + i);
        assertOneWinner(
            rig.kv(), key, racers.race(it -> send(rig.kv(), new Creating(THINGS, key, mark(it)))));
      }
    }
  }

  @Test
  default void racedUpdate_isWonOnce() {
    try (KvRig rig = rig();
        Racers racers = new Racers(RACERS)) {
      Revision last = written(rig.kv().create(THINGS, A, value("start")));
      for (int i = 0; i < rounds(); i++) {
        Revision expected = last;
        String round = i + ".";
        List<Fate> fates =
            racers.race(it -> send(rig.kv(), new Updating(THINGS, A, value(round + it), expected)));
        last = theWinner(fates);
        assertEquals(Optional.of(last), rig.kv().get(THINGS, A).map(Entry::revision), round);
      }
    }
  }

  @Test
  default void racedIncrements_allCount() {
    try (KvRig rig = rig();
        Racers racers = new Racers(RACERS)) {
      written(rig.kv().create(THINGS, A, value("0")));
      int each = Math.max(1, rounds() / 20);
      racers.race(it -> increments(rig.kv(), each, it));
      String total = rig.kv().get(THINGS, A).orElseThrow().value().text();
      assertEquals(each * RACERS, Integer.parseInt(total.split(" ", 2)[0]), total);
    }
  }

  @Test
  default void concurrentHistories_areLinearizable() {
    try (KvRig rig = rig();
        Racers racers = new Racers(CLIENTS)) {
      for (int i = 0; i < histories(); i++) {
        searchHistory(rig, racers, i, _ -> Trouble.NONE);
      }
    }
  }

  @Test
  default void historiesWithUnansweredCalls_areLinearizable() {
    try (KvRig rig = rig();
        Racers racers = new Racers(CLIENTS)) {
      for (int i = 0; i < histories(); i++) {
        searchHistory(rig, racers, i, KvRaceContract::anyTrouble);
      }
    }
  }

  @Test
  default void unansweredWriteThatWasApplied_isFoundByItsNonce() {
    try (KvRig rig = rig()) {
      Kv unsure = troubled(rig.kv(), Trouble.APPLIED, Trouble.APPLIED);
      Revision created = applied(new Creating(THINGS, A, value("nonce 1")).settle(unsure, TRIES));
      Updating update = new Updating(THINGS, A, value("nonce 2"), created);
      assertEquals(new Unknown(), update.send(unsure));
      Revision updated = applied(update.fate(unsure));
      assertEquals(Optional.of(updated), rig.kv().get(THINGS, A).map(Entry::revision));
    }
  }

  @Test
  default void unansweredWriteThatWasLost_isPendingAndSentAgain() {
    try (KvRig rig = rig()) {
      Kv unsure = troubled(rig.kv(), Trouble.LOST, Trouble.LOST, Trouble.NONE);
      Creating create = new Creating(THINGS, A, value("nonce"));
      assertEquals(new Unknown(), create.send(unsure));
      assertEquals(new Pending(), create.fate(unsure));
      Revision revision = applied(create.settle(unsure, TRIES));
      assertEquals(Optional.of(revision), rig.kv().get(THINGS, A).map(Entry::revision));
    }
  }

  @Test
  default void unansweredWriteThatArrivesLate_isNotTakenForAnother() {
    try (KvRig rig = rig()) {
      Revision first = written(rig.kv().create(THINGS, A, value("start")));
      Kv unsure = troubled(rig.kv(), Trouble.LATE, Trouble.NONE);
      Updating update = new Updating(THINGS, A, value("nonce"), first);
      assertEquals(new Unknown(), update.send(unsure));
      assertEquals(new Pending(), update.fate(unsure));
      assertEquals(new Conflict(), update.send(unsure), "both messages were applied");
      applied(update.fate(unsure));
    }
  }

  @Test
  default void unansweredWriteThatLost_isOvertaken() {
    try (KvRig rig = rig()) {
      Revision first = written(rig.kv().create(THINGS, A, value("start")));
      Kv unsure = troubled(rig.kv(), Trouble.LOST, Trouble.NONE);
      Updating update = new Updating(THINGS, A, value("nonce"), first);
      assertEquals(new Unknown(), update.send(unsure));
      written(rig.kv().update(THINGS, A, value("another's"), first));
      assertEquals(new Overtaken(), update.settle(unsure, TRIES));
      assertEquals("another's", rig.kv().get(THINGS, A).orElseThrow().value().text());
    }
  }

  @Test
  default void writeThatIsNeverAnswered_staysPending() {
    try (KvRig rig = rig()) {
      Kv deaf = new UnsureKv(rig.kv(), () -> Trouble.LOST);
      assertEquals(new Pending(), new Creating(THINGS, A, value("nonce")).settle(deaf, TRIES));
      assertEquals(Optional.empty(), rig.kv().get(THINGS, A));
    }
  }

  private static Value mark(int racer) {
    return value("racer " + racer);
  }

  /// A real store may fail to answer; then the outcome is read back.
  private static Fate send(Kv kv, Attempt attempt) {
    return attempt.settle(kv, TRIES);
  }

  private static void assertOneWinner(Kv kv, Key key, List<Fate> fates) {
    int winner = fates.indexOf(new Applied(theWinner(fates)));
    assertEquals(Optional.of(mark(winner)), kv.get(THINGS, key).map(Entry::value), key::value);
  }

  private static Revision theWinner(List<Fate> fates) {
    List<Fate> winners = fates.stream().filter(Applied.class::isInstance).toList();
    assertEquals(1, winners.size(), () -> "winners among " + fates);
    return applied(winners.getFirst());
  }

  private static Revision applied(Fate fate) {
    return assertInstanceOf(Applied.class, fate).revision();
  }

  private static int increments(Kv kv, int count, int racer) {
    int done = 0;
    for (int tries = 0; done < count; tries++) {
      assertTrue(tries < count * MAX_TRIES_EACH, "a racer makes no progress");
      Entry last = kv.get(THINGS, A).orElseThrow(() -> new AssertionError("lost"));
      int next = 1 + Integer.parseInt(last.value().text().split(" ", 2)[0]);
      Value value = value(next + " by " + racer + ", try " + tries);
      Attempt attempt = new Updating(THINGS, A, value, last.revision());
      done += attempt.settle(kv, TRIES) instanceof Applied ? 1 : 0;
    }
    return done;
  }

  private static void searchHistory(
      KvRig rig, Racers racers, int seed, Function<Random, Trouble> troubles) {
    History history = new History();
    Key key = key("register." + seed);
    racers.race(client -> {
      Random random = new Random(31L * seed + client);
      Kv kv = new UnsureKv(rig.kv(), () -> troubles.apply(random));
      new RegisterClient(kv, THINGS, key, history).run(random, CALLS, 1 + 1_000 * client);
      return client;
    });
    Linearizability.check(history);
  }

  private static Trouble anyTrouble(Random random) {
    Trouble[] all = Trouble.values();
    return random.nextInt(3) > 0 ? Trouble.NONE : all[random.nextInt(all.length)];
  }

  private static Kv troubled(Kv kv, Trouble... troubles) {
    Iterator<Trouble> each = List.of(troubles).iterator();
    Supplier<Trouble> next = () -> each.hasNext() ? each.next() : Trouble.NONE;
    return new UnsureKv(kv, next);
  }
}
