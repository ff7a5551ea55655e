package keyfleet.server;

import java.time.Duration;
import java.util.function.LongSupplier;
import keyfleet.store.Bucket;
import keyfleet.store.Document;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.WriteResult;
import keyfleet.store.engine.CompareAndSetProbe;
import keyfleet.store.engine.CompareAndSetProbe.Failed;
import keyfleet.store.engine.CompareAndSetProbe.Inconclusive;
import keyfleet.store.engine.CompareAndSetProbe.Passed;

/// A store is not believed before it was tried: the first process that uses it lets a few writers
/// race, and notes that what was acknowledged was there.
final class FirstUseCheck {
  private static final Bucket TRIALS = new Bucket.Lasting("store_trials");
  private static final Key RACE = new Key("race");
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final Kv kv;
  private final String writerName;
  private final LongSupplier clock;

  /// `name` is this process's alone.
  FirstUseCheck(Kv kv, String writerName, LongSupplier clock) {
    this.kv = kv;
    this.writerName = writerName;
    this.clock = clock;
  }

  /// Returns what is worth saying; empty if the store was tried before. Throws
  /// [StoreRefusedException] if no key state is safe there.
  String run() {
    if (kv.get(TRIALS, RACE).isPresent()) {
      return "";
    }
    return switch (new CompareAndSetProbe(kv, "first-use-" + writerName, clock, LIMIT).run()) {
      case Passed(int races) -> storeTrial(races);
      case Failed(String sentence) ->
          throw new StoreRefusedException(
              "this store loses writes that it acknowledged: " + sentence,
              "another store; keyfleet doctor shows what is safe");
      case Inconclusive(String sentence) ->
          throw new StoreException(
              "whether this store keeps what it acknowledges could not be judged: " + sentence);
    };
  }

  private String storeTrial(int races) {
    Document trial = Document.builder().number("races", races).text("by", writerName).build();
    WriteResult _ = kv.create(TRIALS, RACE, trial.toValue()); // another may have been faster
    return "compare-and-set holds: of %d races each had one winner, and kept what it wrote"
        .formatted(races);
  }
}
