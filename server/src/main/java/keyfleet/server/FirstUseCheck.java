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

/// Probes compare-and-set before the first use of a store: the first process runs a few racing
/// writers and records in the store that every acknowledged write was kept.
final class FirstUseCheck {
  private static final Bucket TRIALS = new Bucket.Lasting("store_trials");
  private static final Key RACE = new Key("race");
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final Kv kv;
  private final String writerName;
  private final LongSupplier clock;

  /// @param writerName unique to this process
  FirstUseCheck(Kv kv, String writerName, LongSupplier clock) {
    this.kv = kv;
    this.writerName = writerName;
    this.clock = clock;
  }

  /// Returns a message for the log; empty if the store was probed before. Throws
  /// [StoreRefusedException] if key state is not safe in the store.
  String run() {
    if (kv.get(TRIALS, RACE).isPresent()) {
      return "";
    }
    return switch (new CompareAndSetProbe(kv, "first-use-" + writerName, clock, LIMIT).run()) {
      case Passed(int races) -> storeTrial(races);
      case Failed(String sentence) ->
          throw new StoreRefusedException(
              "this store loses writes that it acknowledged: " + sentence,
              "use another store; keyfleet doctor checks one");
      case Inconclusive(String sentence) ->
          throw new StoreException(
              "cannot tell whether this store keeps the writes that it acknowledges: " + sentence);
    };
  }

  private String storeTrial(int races) {
    Document trial = Document.builder().number("races", races).text("by", writerName).build();
    WriteResult _ =
        kv.create(TRIALS, RACE, trial.toValue()); // another process may have been faster
    return "compare-and-set holds: each of %d races had one winner, and its write was kept"
        .formatted(races);
  }
}
