package keyfleet.store.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import keyfleet.store.Bucket;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Revision;
import keyfleet.store.StoreException;
import keyfleet.store.Unknown;
import keyfleet.store.Value;
import keyfleet.store.WriteResult;
import keyfleet.store.WriteResult.Written;
import org.jspecify.annotations.Nullable;

/// Tests whether a store's compare-and-set is atomic and whether it keeps acknowledged writes. A
/// server's claim is not enough: one that compares first and sets later looks correct until two
/// writers meet. So a few writers race repeatedly, by turns from one revision of a scratch key and
/// to create a fresh key: one of them may win, and its value must be stored. A server may keep
/// every raced update and lose raced creates.
public final class CompareAndSetProbe {
  public sealed interface Verdict {}

  /// Each race had at most one winner, and the winner's value was stored.
  public record Passed(int races) implements Verdict {}

  /// The store broke its guarantee; key state is not safe there.
  public record Failed(String sentence) implements Verdict {}

  /// Too few answers to decide either way.
  public record Inconclusive(String sentence) implements Verdict {}

  private static final Bucket SCRATCH = new Bucket.Lasting("keyfleet_probe");
  private static final int WRITERS = 4;
  private static final int RACES = 100;

  /// Fewer updates or fewer creates with a winner prove nothing: half of each kind.
  private static final int MIN_RACES = RACES / 4;

  private final Kv kv;
  private final Key key;
  private final LongSupplier clock;
  private final Duration timeLimit;

  /// `name` must be unique to this probe; `clock` counts nanoseconds.
  public CompareAndSetProbe(Kv kv, String name, LongSupplier clock, Duration timeLimit) {
    this.kv = kv;
    this.key = new Key(name);
    this.clock = clock;
    this.timeLimit = timeLimit;
  }

  /// The results of the races so far.
  private record RaceTotals(
      int wonUpdates, int wonCreates, int wonTwice, int lost, int storedRefused) {
    static final RaceTotals NONE = new RaceTotals(0, 0, 0, 0, 0);
    static final RaceTotals FIRST_LOST = new RaceTotals(0, 1, 0, 1, 0);

    /// `winners` are the values of the winning writers. If `allAnswered`, no other write can have
    /// been applied. Without an entry before, the writers raced to create it.
    RaceTotals plus(
        List<Value> winners, boolean allAnswered, @Nullable Entry before, @Nullable Entry after) {
      int won = winners.isEmpty() ? 0 : 1;
      boolean isStored = after != null && winners.contains(after.value());
      return new RaceTotals(
          wonUpdates + (before == null ? 0 : won),
          wonCreates + (before == null ? won : 0),
          wonTwice + (winners.size() > 1 ? 1 : 0),
          lost + (!winners.isEmpty() && !isStored ? 1 : 0),
          storedRefused
              + (winners.isEmpty() && allAnswered && !Objects.equals(before, after) ? 1 : 0));
    }

    private int won() {
      return wonUpdates + wonCreates;
    }

    Verdict verdict() {
      if (wonTwice + lost + storedRefused > 0) {
        return new Failed(
            "of %d races %d had two winners, %d lost an acknowledged write, %d stored a refused one"
                .formatted(won(), wonTwice, lost, storedRefused));
      }
      return Math.min(wonUpdates, wonCreates) >= MIN_RACES
          ? new Passed(won())
          : new Inconclusive("only %d of %d races were answered in time".formatted(won(), RACES));
    }
  }

  /// Deletes the scratch keys at the end, unless the store stops answering. Throws [StoreException]
  /// if it does not answer at all.
  public Verdict run() {
    if (!(kv.create(SCRATCH, key, Value.of("start")) instanceof Written)) {
      return new Inconclusive("the scratch key " + key + " could not be created");
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      return runRaces(threads).verdict();
    } catch (StoreException e) {
      return new Inconclusive("the store stopped answering: " + e.getMessage());
    } finally {
      delete(key);
    }
  }

  private RaceTotals runRaces(ExecutorService threads) {
    long end = clock.getAsLong() + timeLimit.toNanos();
    Entry before = kv.get(SCRATCH, key).orElse(null);
    RaceTotals totals = before == null ? RaceTotals.FIRST_LOST : RaceTotals.NONE;
    for (int i = 0; i < RACES && before != null && clock.getAsLong() < end; i++) {
      List<Value> values = values(i);
      if (i % 2 == 1) {
        totals = raceToCreate(threads, values, new Key(key.value() + "." + i), totals);
      } else {
        Revision expected = before.revision();
        List<Optional<WriteResult>> results =
            runRace(threads, values, value -> kv.update(SCRATCH, key, value, expected));
        Entry after = kv.get(SCRATCH, key).orElse(null);
        totals = totals.plus(winners(values, results), areAllAnswered(results), before, after);
        before = after;
      }
    }
    return totals;
  }

  private RaceTotals raceToCreate(
      ExecutorService threads, List<Value> values, Key fresh, RaceTotals totals) {
    List<Optional<WriteResult>> results =
        runRace(threads, values, value -> kv.create(SCRATCH, fresh, value));
    Entry after = kv.get(SCRATCH, fresh).orElse(null);
    delete(fresh);
    return totals.plus(winners(values, results), areAllAnswered(results), null, after);
  }

  private static boolean areAllAnswered(List<Optional<WriteResult>> results) {
    return !results.contains(Optional.<WriteResult>of(new Unknown()));
  }

  private static List<Value> values(int race) {
    List<Value> values = new ArrayList<>();
    for (int writer = 0; writer < WRITERS; writer++) {
      values.add(Value.of("race " + race + ", writer " + writer));
    }
    return values;
  }

  private static List<Value> winners(List<Value> values, List<Optional<WriteResult>> results) {
    List<Value> winners = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      if (results.get(i).orElse(null) instanceof Written) {
        winners.add(values.get(i));
      }
    }
    return winners;
  }

  private List<Optional<WriteResult>> runRace(
      ExecutorService threads, List<Value> values, Function<Value, WriteResult> write) {
    CyclicBarrier start = new CyclicBarrier(WRITERS);
    List<Callable<Optional<WriteResult>>> writers = new ArrayList<>();
    values.forEach(value -> writers.add(() -> write(start, value, write)));
    List<Optional<WriteResult>> results = new ArrayList<>();
    try {
      for (Future<Optional<WriteResult>> writer :
          threads.invokeAll(writers, timeLimit.toMillis(), TimeUnit.MILLISECONDS)) {
        results.add(writer.get());
      }
      return results;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("the probe was interrupted", e);
    } catch (ExecutionException | CancellationException e) {
      throw new StoreException("a writer got no answer in " + timeLimit.toSeconds() + " s", e);
    }
  }

  /// Empty if the engine reports that the write did not happen.
  private static Optional<WriteResult> write(
      CyclicBarrier start, Value value, Function<Value, WriteResult> write)
      throws InterruptedException, BrokenBarrierException {
    start.await();
    try {
      return Optional.of(write.apply(value));
    } catch (StoreException e) {
      return Optional.empty();
    }
  }

  private void delete(Key scratch) {
    try {
      kv.get(SCRATCH, scratch).ifPresent(last -> kv.delete(SCRATCH, scratch, last.revision()));
    } catch (StoreException e) {
      return; // a small key is left behind; the result matters more
    }
  }
}
