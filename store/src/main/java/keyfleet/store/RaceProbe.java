package keyfleet.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import keyfleet.store.Write.Written;
import org.jspecify.annotations.Nullable;

/// Finds out whether a store compares and sets, and keeps what it acknowledged. Its own word is not
/// taken for it: a server that compares first and sets later looks sound until two writers meet. So
/// a few writers count together under one scratch key, and every acknowledged step must be in the
/// sum.
public final class RaceProbe {
  public sealed interface Verdict {}

  /// All that was acknowledged was there; so often two writers met and one had to give way.
  public record Kept(int acknowledged, int contested) implements Verdict {}

  /// The store broke its word; no key state is safe there.
  public record Broken(String sentence) implements Verdict {}

  /// Too few answers to tell, or nobody met: neither good nor bad is shown.
  public record Unclear(String sentence) implements Verdict {}

  private static final Bucket SCRATCH = new Bucket.Lasting("keyfleet_probe");
  private static final int WRITERS = 4;
  private static final int STEPS_EACH = 25;

  /// Fewer than this say nothing.
  private static final int ENOUGH = WRITERS * STEPS_EACH / 2;

  private final Kv kv;
  private final Key key;
  private final LongSupplier clock;
  private final Duration limit;

  /// `name` is this probe's alone; `clock` counts nanoseconds.
  public RaceProbe(Kv kv, String name, LongSupplier clock, Duration limit) {
    this.kv = kv;
    this.key = new Key(name);
    this.clock = clock;
    this.limit = limit;
  }

  /// What one writer did.
  private record Tally(int acknowledged, int unanswered, int contested, @Nullable String broken) {
    static final Tally NONE = new Tally(0, 0, 0, null);

    Tally plus(Tally other) {
      return new Tally(
          acknowledged + other.acknowledged,
          unanswered + other.unanswered,
          contested + other.contested,
          broken == null ? other.broken : broken);
    }
  }

  /// Leaves nothing behind, unless the store does not answer. Throws [StoreException] if it cannot
  /// even start.
  public Verdict run() {
    if (!(kv.create(SCRATCH, key, count(0, "start")) instanceof Written)) {
      return new Unclear("the scratch key " + key + " could not be made");
    }
    try {
      return verdict(raced(), kv.get(SCRATCH, key).orElse(null));
    } catch (StoreException e) {
      return new Unclear("it stopped answering: " + e.getMessage());
    } finally {
      cleanUp();
    }
  }

  private static Verdict verdict(Tally tally, @Nullable Entry last) {
    String broken = tally.broken();
    if (broken != null) {
      return new Broken(broken);
    }
    int found = last == null ? 0 : number(last);
    int acknowledged = tally.acknowledged();
    if (found < acknowledged || found > acknowledged + tally.unanswered()) {
      return new Broken(
          "%d writers had %d increments acknowledged and %d unanswered, the final value is %d"
              .formatted(WRITERS, acknowledged, tally.unanswered(), found));
    }
    if (acknowledged < ENOUGH) {
      return new Unclear(
          "only %d of %d writes were answered in time: too slow to tell"
              .formatted(acknowledged, WRITERS * STEPS_EACH));
    }
    return tally.contested() == 0
        ? new Unclear("no two writers met")
        : new Kept(acknowledged, tally.contested());
  }

  private Tally raced() {
    long end = clock.getAsLong() + limit.toNanos();
    List<Callable<Tally>> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      String name = "writer " + i;
      writers.add(() -> count(name, end));
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Tally sum = Tally.NONE;
      for (Future<Tally> writer :
          threads.invokeAll(writers, 2 * limit.toMillis(), TimeUnit.MILLISECONDS)) {
        sum = sum.plus(tally(writer));
      }
      return sum;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("the probe was interrupted", e);
    }
  }

  private static Tally tally(Future<Tally> writer) throws InterruptedException {
    try {
      return writer.get();
    } catch (ExecutionException | CancellationException e) {
      throw new StoreException("a writer of the probe got no answer", e);
    }
  }

  private Tally count(String writer, long end) {
    Tally tally = Tally.NONE;
    for (int step = 0; tally.acknowledged() < STEPS_EACH && clock.getAsLong() < end; step++) {
      tally = tally.plus(step(writer + ", step " + step));
      if (tally.broken() != null) {
        return tally;
      }
    }
    return tally;
  }

  private Tally step(String mark) {
    Entry seen = kv.get(SCRATCH, key).orElse(null);
    if (seen == null) {
      return broken("an acknowledged key is not there");
    }
    try {
      return switch (kv.update(SCRATCH, key, count(number(seen) + 1, mark), seen.revision())) {
        case Written(Revision revision) -> acknowledged(revision);
        case Conflict() -> new Tally(0, 0, 1, null);
        case Unknown() -> new Tally(0, 1, 0, null);
      };
    } catch (StoreException e) {
      return Tally.NONE; // it did not happen, says the port; if it did, the sum will show
    }
  }

  /// Whoever reads after an acknowledgement must see that write or a later one.
  private Tally acknowledged(Revision revision) {
    Entry after = kv.get(SCRATCH, key).orElse(null);
    return after == null || after.revision().compareTo(revision) < 0
        ? broken("a read showed what was there before a write that had been acknowledged")
        : new Tally(1, 0, 0, null);
  }

  private static Tally broken(String sentence) {
    return new Tally(0, 0, 0, sentence);
  }

  private void cleanUp() {
    try {
      kv.get(SCRATCH, key).ifPresent(last -> kv.delete(SCRATCH, key, last.revision()));
    } catch (StoreException e) {
      return; // a small key stays; the verdict says more
    }
  }

  private static Value count(int number, String mark) {
    return Value.of(number + " " + mark);
  }

  private static int number(Entry entry) {
    return Integer.parseInt(entry.value().text().split(" ", 2)[0]);
  }
}
