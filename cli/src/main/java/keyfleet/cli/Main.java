package keyfleet.cli;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.providers.ProviderSpec.Surroundings;
import keyfleet.providers.Ticker;

/// Joins the command to the process it runs in: the only place with the real clock, randomness,
/// streams, environment and exit.
public final class Main {
  private static final int START_SECONDS = 60;

  private Main() {}

  public static void main(String[] args) {
    // The JDK's security providers take longer to start than arguments to parse: both at once.
    var surroundings = new FutureTask<>(Main::surroundings);
    Thread.ofPlatform().daemon().name("keyfleet-start").start(surroundings);
    var output = Console.Output.of(System.getProperty("keyfleet.stdout"));
    var console = new Console(System.out, System.err, output);
    System.exit(new Keyfleet(console, () -> await(surroundings)).run(args));
  }

  private static Surroundings surroundings() {
    var random = new SecureRandom();
    EnvelopeCipher.selfTest(random);
    return new Surroundings(System.getenv(), random, new SystemTicker());
  }

  private static Surroundings await(FutureTask<Surroundings> surroundings) {
    try {
      return surroundings.get(START_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted");
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the process cannot start", e);
    }
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
