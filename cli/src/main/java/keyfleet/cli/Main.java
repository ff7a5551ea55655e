package keyfleet.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.security.SecureRandom;
import java.sql.SQLException;
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
import keyfleet.cli.output.HiddenInput;
import keyfleet.cli.output.OutputReader;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.member.LocalProcess;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.providers.Ticker;
import keyfleet.store.Document;
import keyfleet.store.Value;
import org.jspecify.annotations.Nullable;

/// Starts the program with the real clock, randomness, streams, environment and exit. No other
/// class of the command line uses these directly.
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    if (args.length > 1) {
      warmUp(List.of(args).contains(KekVerifyCommand.LOCAL));
    }
    exit(run(args));
  }

  /// Runs the shutdown hooks, then ends the process.
  static void exit(int code) {
    System.exit(code);
  }

  /// Runs one command and returns its exit code.
  static int run(String... args) {
    var output = Console.Output.of(System.getProperty("keyfleet.stdout"));
    // System.out would hide the reason of a write error.
    var data = new FileOutputStream(FileDescriptor.out);
    var console = new Console(System.in, data, System.err, System.out.charset(), output);
    console.useHiddenInput(HiddenInput.ofProcess(System.getProperty("keyfleet.stdin")));
    console.detectReaderEnd(OutputReader::isGone);
    CommandDispatcher dispatcher =
        new CommandDispatcher(
            console, new ProcessRuntime(), EngineFactory::open, Main::currentOperator);
    return dispatcher.searchConfigIn(ConfigFile.FOLDERS).run(args);
  }

  /// Loads slow classes in the background while the arguments are parsed: the JDK's ciphers, and
  /// the JSON parser and the driver of the embedded store for commands with a store. A failure here
  /// is ignored; the command meets the same failure when it uses the class.
  static void warmUp(boolean isLocal) {
    Thread.ofPlatform()
        .daemon()
        .name("keyfleet-early")
        .uncaughtExceptionHandler((_, _) -> {})
        .start(() -> {
          EnvelopeCipher.warmUp();
          if (!isLocal) {
            var _ = Document.parse(Value.of("{}"));
            warmUpStore();
          }
        });
  }

  private static void warmUpStore() {
    try {
      EngineFactory.warmUp();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Takes the user from the operating system, because a JVM setting can change `user.name`.
  private static Operator currentOperator() {
    String user =
        ProcessHandle.current().info().user().orElseGet(() -> System.getProperty("user.name"));
    return new Operator(user, LocalProcess.current(), InstantSource.system());
  }

  /// Created on first use: `--help` needs no randomness.
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
