package keyfleet.store;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.key;
import static keyfleet.store.StoreFixtures.value;
import static keyfleet.store.StoreFixtures.written;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;
import keyfleet.store.ConditionalWrite.Create;
import keyfleet.store.ConditionalWrite.Update;
import keyfleet.store.UnreliableKv.Fault;
import keyfleet.store.WriteOutcome.Applied;
import keyfleet.store.WriteOutcome.Pending;
import keyfleet.store.WriteOutcome.Superseded;
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
  KvFixture rig();

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
    try (KvFixture rig = rig();
        RacingThreads racers = new RacingThreads(RACERS)) {
      for (int i = 0; i < rounds(); i++) {
        Key key = key("race." + i);
        assertOneWinner(
            rig.kv(), key, racers.race(it -> send(rig.kv(), new Create(THINGS, key, mark(it)))));
      }
    }
  }

  @Test
  default void racedUpdate_isWonOnce() {
    try (KvFixture rig = rig();
        RacingThreads racers = new RacingThreads(RACERS)) {
      Revision last = written(rig.kv().create(THINGS, A, value("start")));
      for (int i = 0; i < rounds(); i++) {
        Revision expected = last;
        String round = i + ".";
        List<WriteOutcome> fates =
            racers.race(it -> send(rig.kv(), new Update(THINGS, A, value(round + it), expected)));
        last = theWinner(fates);
        assertEquals(Optional.of(last), rig.kv().get(THINGS, A).map(Entry::revision), round);
      }
    }
  }

  @Test
  default void racedIncrements_allCount() {
    try (KvFixture rig = rig();
        RacingThreads racers = new RacingThreads(RACERS)) {
      written(rig.kv().create(THINGS, A, value("0")));
      int each = Math.max(1, rounds() / 20);
      racers.race(it -> increments(rig.kv(), each, it));
      String total = rig.kv().get(THINGS, A).orElseThrow().value().text();
      assertEquals(each * RACERS, Integer.parseInt(total.split(" ", 2)[0]), total);
    }
  }

  @Test
  default void concurrentHistories_areLinearizable() {
    try (KvFixture rig = rig();
        RacingThreads racers = new RacingThreads(CLIENTS)) {
      for (int i = 0; i < histories(); i++) {
        searchHistory(rig, racers, i, _ -> Fault.NONE);
      }
    }
  }

  @Test
  default void historiesWithUnansweredCalls_areLinearizable() {
    try (KvFixture rig = rig();
        RacingThreads racers = new RacingThreads(CLIENTS)) {
      for (int i = 0; i < histories(); i++) {
        searchHistory(rig, racers, i, KvRaceContract::anyTrouble);
      }
    }
  }

  @Test
  default void unansweredWriteThatWasApplied_isFoundByItsNonce() {
    try (KvFixture rig = rig()) {
      Kv unsure = troubled(rig.kv(), Fault.APPLIED, Fault.APPLIED);
      Revision created = applied(new Create(THINGS, A, value("nonce 1")).settle(unsure, TRIES));
      Update update = new Update(THINGS, A, value("nonce 2"), created);
      assertEquals(new Unknown(), update.send(unsure));
      Revision updated = applied(update.fate(unsure));
      assertEquals(Optional.of(updated), rig.kv().get(THINGS, A).map(Entry::revision));
    }
  }

  @Test
  default void unansweredWriteThatWasLost_isPendingAndSentAgain() {
    try (KvFixture rig = rig()) {
      Kv unsure = troubled(rig.kv(), Fault.LOST, Fault.LOST, Fault.NONE);
      Create create = new Create(THINGS, A, value("nonce"));
      assertEquals(new Unknown(), create.send(unsure));
      assertEquals(new Pending(), create.fate(unsure));
      Revision revision = applied(create.settle(unsure, TRIES));
      assertEquals(Optional.of(revision), rig.kv().get(THINGS, A).map(Entry::revision));
    }
  }

  @Test
  default void unansweredWriteThatArrivesLate_isNotTakenForAnother() {
    try (KvFixture rig = rig()) {
      Revision first = written(rig.kv().create(THINGS, A, value("start")));
      Kv unsure = troubled(rig.kv(), Fault.LATE, Fault.NONE);
      Update update = new Update(THINGS, A, value("nonce"), first);
      assertEquals(new Unknown(), update.send(unsure));
      assertEquals(new Pending(), update.fate(unsure));
      assertEquals(new Conflict(), update.send(unsure), "both messages were applied");
      applied(update.fate(unsure));
    }
  }

  @Test
  default void unansweredWriteThatLost_isOvertaken() {
    try (KvFixture rig = rig()) {
      Revision first = written(rig.kv().create(THINGS, A, value("start")));
      Kv unsure = troubled(rig.kv(), Fault.LOST, Fault.NONE);
      Update update = new Update(THINGS, A, value("nonce"), first);
      assertEquals(new Unknown(), update.send(unsure));
      written(rig.kv().update(THINGS, A, value("another's"), first));
      assertEquals(new Superseded(), update.settle(unsure, TRIES));
      assertEquals("another's", rig.kv().get(THINGS, A).orElseThrow().value().text());
    }
  }

  @Test
  default void writeThatIsNeverAnswered_staysPending() {
    try (KvFixture rig = rig()) {
      Kv deaf = new UnreliableKv(rig.kv(), () -> Fault.LOST);
      assertEquals(new Pending(), new Create(THINGS, A, value("nonce")).settle(deaf, TRIES));
      assertEquals(Optional.empty(), rig.kv().get(THINGS, A));
    }
  }

  private static Value mark(int racer) {
    return value("racer " + racer);
  }

  /// A real store may fail to answer; then the outcome is read back.
  private static WriteOutcome send(Kv kv, ConditionalWrite attempt) {
    return attempt.settle(kv, TRIES);
  }

  private static void assertOneWinner(Kv kv, Key key, List<WriteOutcome> fates) {
    int winner = fates.indexOf(new Applied(theWinner(fates)));
    assertEquals(Optional.of(mark(winner)), kv.get(THINGS, key).map(Entry::value), key::value);
  }

  private static Revision theWinner(List<WriteOutcome> fates) {
    List<WriteOutcome> winners = fates.stream().filter(Applied.class::isInstance).toList();
    assertEquals(1, winners.size(), () -> "winners among " + fates);
    return applied(winners.getFirst());
  }

  private static Revision applied(WriteOutcome fate) {
    return assertInstanceOf(Applied.class, fate).revision();
  }

  private static int increments(Kv kv, int count, int racer) {
    int done = 0;
    for (int tries = 0; done < count; tries++) {
      assertTrue(tries < count * MAX_TRIES_EACH, "a racer makes no progress");
      Entry last = kv.get(THINGS, A).orElseThrow(() -> new AssertionError("lost"));
      int next = 1 + Integer.parseInt(last.value().text().split(" ", 2)[0]);
      Value value = value(next + " by " + racer + ", try " + tries);
      ConditionalWrite attempt = new Update(THINGS, A, value, last.revision());
      done += attempt.settle(kv, TRIES) instanceof Applied ? 1 : 0;
    }
    return done;
  }

  private static void searchHistory(
      KvFixture rig, RacingThreads racers, int seed, Function<Random, Fault> troubles) {
    RegisterHistory history = new RegisterHistory();
    Key key = key("register." + seed);
    racers.race(client -> {
      Random random = new Random(31L * seed + client);
      Kv kv = new UnreliableKv(rig.kv(), () -> troubles.apply(random));
      new RegisterClient(kv, THINGS, key, history).run(random, CALLS, 1 + 1_000 * client);
      return client;
    });
    LinearizabilityChecker.check(history);
  }

  private static Fault anyTrouble(Random random) {
    Fault[] all = Fault.values();
    return random.nextInt(3) > 0 ? Fault.NONE : all[random.nextInt(all.length)];
  }

  private static Kv troubled(Kv kv, Fault... troubles) {
    Iterator<Fault> each = List.of(troubles).iterator();
    Supplier<Fault> next = () -> each.hasNext() ? each.next() : Fault.NONE;
    return new UnreliableKv(kv, next);
  }
}
