package keyfleet.cli;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import keyfleet.cli.command.Operator;
import keyfleet.cli.config.ConfigFile;
import keyfleet.cli.config.EngineFactory;
import keyfleet.cli.kek.KekVerifyCommand;
import keyfleet.cli.output.Console;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.member.LocalProcess;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.providers.Ticker;
import keyfleet.store.Document;
import keyfleet.store.Value;
import org.jspecify.annotations.Nullable;

/// Joins the command to the process it runs in: the only place with the real clock, randomness,
/// streams, environment and exit.
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    if (args.length > 1) {
      warmUp(List.of(args).contains(KekVerifyCommand.LOCAL));
    }
    exit(run(args));
  }

  /// Ends the process, after what others do at its end.
  static void exit(int code) {
    System.exit(code);
  }

  /// One command; its exit code.
  static int run(String... args) {
    var output = Console.Output.of(System.getProperty("keyfleet.stdout"));
    var console = new Console(System.in, System.out, System.err, output);
    CommandDispatcher commandDispatcher =
        new CommandDispatcher(
            console, new ProcessRuntime(), EngineFactory::open, Main::currentOperator);
    return commandDispatcher.searchConfigIn(ConfigFile.FOLDERS).run(args);
  }

  /// What takes longer to start than the arguments to parse starts meanwhile: the JDK's ciphers,
  /// and for who asks a store the JSON parser, with a large table of the JDK's. If they fail, the
  /// command meets the same failure when it needs them.
  static void warmUp(boolean isLocal) {
    Thread.ofPlatform()
        .daemon()
        .name("keyfleet-early")
        .uncaughtExceptionHandler((_, _) -> {})
        .start(() -> {
          EnvelopeCipher.warmUp();
          if (!isLocal) {
            var _ = Document.parse(Value.of("{}"));
          }
        });
  }

  /// As the system knows the user, which no setting of the JVM can change.
  private static Operator currentOperator() {
    String user =
        ProcessHandle.current().info().user().orElseGet(() -> System.getProperty("user.name"));
    return new Operator(user, LocalProcess.current(), InstantSource.system());
  }

  /// Made when first asked for: `--help` needs no randomness.
  private static final class ProcessRuntime implements Supplier<ProviderContext> {
    private @Nullable ProviderContext providerContext;

    @Override
    public ProviderContext get() {
      if (providerContext == null) {
        var random = new SecureRandom();
        EnvelopeCipher.runSelfTest(random);
        providerContext = new ProviderContext(System.getenv(), random, new SystemTicker());
      }
      return providerContext;
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
