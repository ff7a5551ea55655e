package keyfleet.cli;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import keyfleet.providers.ProviderSpec.Surroundings;
import keyfleet.providers.Ticker;

/// Joins the command to the process it runs in: the only place with the real clock, randomness,
/// streams, environment and exit.
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    var surroundings = new Surroundings(System.getenv(), new SecureRandom(), new SystemTicker());
    var console =
        new Console(
            System.out, System.err, Console.Output.of(System.getProperty("keyfleet.stdout")));
    System.exit(new Keyfleet(console, surroundings).run(args));
  }

  private static final class SystemTicker implements Ticker {
    @Override
    public long nanos() {
      return System.nanoTime();
    }

    @Override
    public void pause(Duration duration) {
      LockSupport.parkNanos(duration.toNanos());
    }
  }
}
