package keyfleet.store;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.assertWritten;
import static keyfleet.store.StoreFixtures.key;
import static keyfleet.store.StoreFixtures.value;
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
public interface KvRaceContract extends ContractSuite {
  int RACERS = 8;
  int TRIES = 5;
  int MAX_TRIES_EACH = 10_000;
  int CLIENTS = 4;

  /// This number times [#CLIENTS] must stay within what the checker can search.
  int CALLS = 14;

  Key A = new Key("a");

  @Override
  KvFixture fixture();

  /// How many races are run.
  default int rounds() {
    return 1_000;
  }

  /// How many histories are checked for linearizability.
  default int histories() {
    return 200;
  }

  @Test
  default void racedCreate_isWonOnce(KvFixture fixture) {
    try (RacingThreads threads = new RacingThreads(RACERS)) {
      for (int i = 0; i < rounds(); i++) {
        Key key = key("race." + i);
        assertOneWinner(
            fixture.kv(),
            key,
            threads.race(it -> send(fixture.kv(), new Create(THINGS, key, valueOf(it)))));
      }
    }
  }

  @Test
  default void racedUpdate_isWonOnce(KvFixture fixture) {
    try (RacingThreads threads = new RacingThreads(RACERS)) {
      Revision last = assertWritten(fixture.kv().create(THINGS, A, value("start")));
      for (int i = 0; i < rounds(); i++) {
        Revision expected = last;
        String round = i + ".";
        List<WriteOutcome> outcomes =
            threads.race(
                it -> send(fixture.kv(), new Update(THINGS, A, value(round + it), expected)));
        last = onlyWinner(outcomes);
        assertEquals(Optional.of(last), fixture.kv().get(THINGS, A).map(Entry::revision), round);
      }
    }
  }

  @Test
  default void racedIncrements_allCount(KvFixture fixture) {
    try (RacingThreads threads = new RacingThreads(RACERS)) {
      assertWritten(fixture.kv().create(THINGS, A, value("0")));
      int each = Math.max(1, rounds() / 20);
      threads.race(it -> increments(fixture.kv(), each, it));
      String total = fixture.kv().get(THINGS, A).orElseThrow().value().text();
      assertEquals(each * RACERS, Integer.parseInt(total.split(" ", 2)[0]), total);
    }
  }

  @Test
  default void concurrentHistories_areLinearizable(KvFixture fixture) {
    try (RacingThreads threads = new RacingThreads(CLIENTS)) {
      for (int i = 0; i < histories(); i++) {
        checkHistory(fixture, threads, i, _ -> Fault.NONE);
      }
    }
  }

  @Test
  default void historiesWithUnansweredCalls_areLinearizable(KvFixture fixture) {
    try (RacingThreads threads = new RacingThreads(CLIENTS)) {
      for (int i = 0; i < histories(); i++) {
        checkHistory(fixture, threads, i, KvRaceContract::randomFault);
      }
    }
  }

  @Test
  default void unansweredWriteThatWasApplied_isFoundByItsNonce(KvFixture fixture) {
    Kv unreliable = withFaults(fixture.kv(), Fault.APPLIED, Fault.APPLIED);
    Revision created =
        assertApplied(new Create(THINGS, A, value("nonce 1")).sendUntilKnown(unreliable, TRIES));
    Update update = new Update(THINGS, A, value("nonce 2"), created);
    assertEquals(new Unknown(), update.send(unreliable));
    Revision updated = assertApplied(update.readOutcome(unreliable));
    assertEquals(Optional.of(updated), fixture.kv().get(THINGS, A).map(Entry::revision));
  }

  @Test
  default void unansweredWriteThatWasLost_isPendingAndSentAgain(KvFixture fixture) {
    Kv unreliable = withFaults(fixture.kv(), Fault.LOST, Fault.LOST, Fault.NONE);
    Create create = new Create(THINGS, A, value("nonce"));
    assertEquals(new Unknown(), create.send(unreliable));
    assertEquals(new Pending(), create.readOutcome(unreliable));
    Revision revision = assertApplied(create.sendUntilKnown(unreliable, TRIES));
    assertEquals(Optional.of(revision), fixture.kv().get(THINGS, A).map(Entry::revision));
  }

  @Test
  default void unansweredWriteThatArrivesLate_isNotTakenForAnother(KvFixture fixture) {
    Revision first = assertWritten(fixture.kv().create(THINGS, A, value("start")));
    Kv unreliable = withFaults(fixture.kv(), Fault.LATE, Fault.NONE);
    Update update = new Update(THINGS, A, value("nonce"), first);
    assertEquals(new Unknown(), update.send(unreliable));
    assertEquals(new Pending(), update.readOutcome(unreliable));
    assertEquals(new Conflict(), update.send(unreliable), "both messages were applied");
    assertApplied(update.readOutcome(unreliable));
  }

  @Test
  default void unansweredWriteThatLost_isSuperseded(KvFixture fixture) {
    Revision first = assertWritten(fixture.kv().create(THINGS, A, value("start")));
    Kv unreliable = withFaults(fixture.kv(), Fault.LOST, Fault.NONE);
    Update update = new Update(THINGS, A, value("nonce"), first);
    assertEquals(new Unknown(), update.send(unreliable));
    assertWritten(fixture.kv().update(THINGS, A, value("another's"), first));
    assertEquals(new Superseded(), update.sendUntilKnown(unreliable, TRIES));
    assertEquals("another's", fixture.kv().get(THINGS, A).orElseThrow().value().text());
  }

  @Test
  default void writeThatIsNeverAnswered_staysPending(KvFixture fixture) {
    Kv unreliable = new UnreliableKv(fixture.kv(), () -> Fault.LOST);
    assertEquals(
        new Pending(), new Create(THINGS, A, value("nonce")).sendUntilKnown(unreliable, TRIES));
    assertEquals(Optional.empty(), fixture.kv().get(THINGS, A));
  }

  private static Value valueOf(int racer) {
    return value("racer " + racer);
  }

  /// A real store may fail to answer; then the outcome is read back.
  private static WriteOutcome send(Kv kv, ConditionalWrite write) {
    return write.sendUntilKnown(kv, TRIES);
  }

  private static void assertOneWinner(Kv kv, Key key, List<WriteOutcome> outcomes) {
    int winner = outcomes.indexOf(new Applied(onlyWinner(outcomes)));
    assertEquals(Optional.of(valueOf(winner)), kv.get(THINGS, key).map(Entry::value), key::value);
  }

  private static Revision onlyWinner(List<WriteOutcome> outcomes) {
    List<WriteOutcome> winners = outcomes.stream().filter(Applied.class::isInstance).toList();
    assertEquals(1, winners.size(), () -> "winners among " + outcomes);
    return assertApplied(winners.getFirst());
  }

  private static Revision assertApplied(WriteOutcome outcome) {
    return assertInstanceOf(Applied.class, outcome).revision();
  }

  private static int increments(Kv kv, int count, int racer) {
    int done = 0;
    for (int tries = 0; done < count; tries++) {
      assertTrue(tries < count * MAX_TRIES_EACH, "a racer makes no progress");
      Entry last = kv.get(THINGS, A).orElseThrow(() -> new AssertionError("lost"));
      int next = 1 + Integer.parseInt(last.value().text().split(" ", 2)[0]);
      Value value = value(next + " by " + racer + ", try " + tries);
      ConditionalWrite write = new Update(THINGS, A, value, last.revision());
      done += write.sendUntilKnown(kv, TRIES) instanceof Applied ? 1 : 0;
    }
    return done;
  }

  private static void checkHistory(
      KvFixture fixture, RacingThreads threads, int seed, Function<Random, Fault> faults) {
    RegisterHistory history = new RegisterHistory();
    Key key = key("register." + seed);
    threads.race(client -> {
      Random random = new Random(31L * seed + client);
      Kv kv = new UnreliableKv(fixture.kv(), () -> faults.apply(random));
      new RegisterClient(kv, THINGS, key, history).run(random, CALLS, 1 + 1_000 * client);
      return client;
    });
    LinearizabilityChecker.check(history);
  }

  private static Fault randomFault(Random random) {
    Fault[] all = Fault.values();
    return random.nextInt(3) > 0 ? Fault.NONE : all[random.nextInt(all.length)];
  }

  private static Kv withFaults(Kv kv, Fault... faults) {
    Iterator<Fault> each = List.of(faults).iterator();
    Supplier<Fault> next = () -> each.hasNext() ? each.next() : Fault.NONE;
    return new UnreliableKv(kv, next);
  }
}
