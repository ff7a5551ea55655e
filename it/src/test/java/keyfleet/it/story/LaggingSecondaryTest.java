package keyfleet.it.story;

import static keyfleet.it.process.ProcessFleet.OPERATOR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;
import keyfleet.it.process.ProcessFleet;
import keyfleet.it.process.ProcessFleet.KeySource;
import keyfleet.it.process.Shell;
import keyfleet.it.process.TestStores.SingleStore;
import keyfleet.mongodb.LaggingReplicaSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A store on MongoDB with `readPreference=secondaryPreferred` and a secondary that lags: lists
/// show what the secondary knows, and every decision is made on the primary.
class LaggingSecondaryTest {
  private static final String PREFERRED = "&readPreference=secondaryPreferred";
  private static final int MAX_COMMANDS = 6;

  @Test
  void listsLag_andDecisionsDoNot(@TempDir Path folder) {
    try (LaggingReplicaSet set = new LaggingReplicaSet(Duration.ofSeconds(5));
        ProcessFleet fleet =
            new ProcessFleet(folder, new SingleStore(set.url(PREFERRED)), KeySource.ENV)) {
      fleet.giveKeys(OPERATOR, 1, 2);
      fleet.run(0, "kek", "announce", "--version=1");
      set.replicate();
      fleet.run(0, "kek", "announce", "--version=2");

      assertTrue(isListedAsOnTheSecondary(fleet), "no list was read from the secondary");
      // The primary knows version 2. On the secondary it would not be announced, which is exit 1.
      Shell.Result verify = fleet.run(2, "kek", "verify", "--target=2");
      assertTrue(verify.err().getFirst().startsWith("NOT READY: target=2"), verify::toString);

      set.replicate();
      assertEquals(3, fleet.run(0, "kek", "list").out().size());
    }
  }

  /// A command that has not found the secondary yet lists what the primary knows.
  private static boolean isListedAsOnTheSecondary(ProcessFleet fleet) {
    return IntStream.range(0, MAX_COMMANDS)
        .anyMatch(_ -> fleet.run(0, "kek", "list").out().size() == 2);
  }
}
