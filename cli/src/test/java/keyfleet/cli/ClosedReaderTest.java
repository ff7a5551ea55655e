package keyfleet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.output.Console.Output;
import keyfleet.cli.output.ExitCode;
import keyfleet.providers.ProviderSpec.ProviderContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The reader of a pipe ends while a command waits and prints nothing.
class ClosedReaderTest {
  private final CliFleet fleet = new CliFleet(new InMemoryBackend());
  private final AtomicBoolean isGone = new AtomicBoolean();

  @BeforeEach
  void startRotationThatStandsStill() {
    fleet.addKeys(2);
    fleet.announce(1, 2);
    fleet.start("worker-1", "worker", 1, 2);
    fleet.haltWorkers();
    fleet.runLine("kek rotate --from-version=1 --to-version=2").expectExit(0);
  }

  private CommandResult runInPipe(Output output, String... args) {
    ProviderContext runtime =
        new ProviderContext(Map.copyOf(fleet.environment), new SecureRandom(), fleet);
    return CliFleet.run(
        console -> {
          console.detectReaderEnd(isGone::get);
          return new CommandDispatcher(
              console, () -> runtime, fleet.openEngine, () -> CliFleet.ANNA);
        },
        output,
        "",
        args);
  }

  private Duration timeOf(Runnable command) {
    long start = fleet.nanos();
    command.run();
    return Duration.ofNanos(fleet.nanos() - start);
  }

  @Test
  void watchAndStatusWatch_end() {
    for (String[] command : new String[][] {{"kek", "watch"}, {"kek", "status", "--watch"}}) {
      isGone.set(false);
      fleet.onPause(3, () -> isGone.set(true));
      Duration time =
          timeOf(() -> runInPipe(Output.PIPE, command).expectExit(ExitCode.READER_GONE));
      assertEquals(Duration.ofSeconds(3), time);
    }
  }

  @Test
  void verifyThatWaits_ends() {
    fleet.start("api-1", "api", 1);
    isGone.set(true);
    runInPipe(Output.PIPE, "kek", "verify", "--target=2", "--wait")
        .expectExit(ExitCode.READER_GONE);
  }

  @Test
  void file_hasNoReaderThatEnds() {
    isGone.set(true);
    fleet.onPause(2, fleet::resumeWorkers);
    CommandResult result = runInPipe(Output.FILE, "kek", "watch").expectExit(0);
    assertTrue(result.out().contains("completed"), result.out());
  }
}
