package keyfleet.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The clock of the store's server is corrected by a day: dead processes stay in its future.
class ClockStepTest {
  private static final String FINE = "[ok]   no heartbeat is in the future of the store's clock\n";

  private final InMemoryBackend backend = new InMemoryBackend();
  private final CliFleet fleet = new CliFleet(backend);

  @BeforeEach
  void startFleet() {
    fleet.announce(1);
    backend.advance(Duration.ofDays(2));
    fleet.start("dead", "api", 1);
    fleet.start("alive", "api", 1);
    fleet.kill("dead");
    doctor().expectExit(0);
  }

  private CommandResult doctor() {
    return fleet.run("doctor");
  }

  @Test
  void jump_isMeasured_andForgetEndsIt() {
    assertTrue(doctor().out().contains(FINE));
    backend.stepBack(Duration.ofDays(1));
    fleet.writeHeartbeats();
    CommandResult found = doctor().expectExit(2);
    assertTrue(
        found
            .out()
            .contains(
                "[warn] the store's clock has stepped back by 1d or more: 1 heartbeats are in its"
                    + " future (dead); none counts as fresh\n"
                    + "       Try: keyfleet kek forget --instance=dead\n"),
        found::out);
    fleet.run("kek", "verify", "--target=1", "--min-processes=2").expectExit(2);
    fleet.run("kek", "forget", "--instance=dead", "--yes").expectExit(0);
    assertTrue(doctor().expectExit(0).out().contains(FINE));
  }
}
