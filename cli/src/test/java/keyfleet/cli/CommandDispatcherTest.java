package keyfleet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.Console.Output;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.providers.Ticker;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Cases that the transcripts cannot show: output to a terminal, and internal errors.
class CommandDispatcherTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @TempDir Path folder = Path.of("");

  private int run(Output output, Supplier<ProviderContext> runtime, String... args) {
    Console console = new Console(InputStream.nullInputStream(), stream(out), stream(err), output);
    return new CommandDispatcher(
            console, runtime, CommandDispatcherTest::noStore, () -> CliFleet.ANNA)
        .run(args);
  }

  private static Engine noStore(StoreUrl url) {
    throw new AssertionError("no command here needs " + url);
  }

  private static PrintStream stream(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }

  private static ProviderContext providerContext() {
    return new ProviderContext(Map.of(), new SecureRandom(), new UnusedTicker());
  }

  @Test
  void keyOnATerminal_isWithheldUnlessRequested() {
    assertEquals(
        1, run(Output.TERMINAL, CommandDispatcherTest::providerContext, "kek", "generate"));
    assertEquals("", out.toString(StandardCharsets.UTF_8));
    assertTrue(err.toString(StandardCharsets.UTF_8).contains("--stdout"));
    assertEquals(
        0,
        run(
            Output.TERMINAL,
            CommandDispatcherTest::providerContext,
            "kek",
            "generate",
            "--stdout"));
    assertTrue(out.toString(StandardCharsets.UTF_8).matches("[0-9a-f]{64}\n"));
  }

  @Test
  void unknownOutput_countsAsATerminal() {
    assertEquals(Output.TERMINAL, Output.of(null));
    assertEquals(Output.TERMINAL, Output.of("terminal"));
    assertEquals(Output.PIPE, Output.of("pipe"));
  }

  @Test
  void internalError_isOneLineWithoutItsMessage() {
    Supplier<ProviderContext> broken =
        () -> {
          throw new IllegalStateException("s3cret");
        };
    assertEquals(1, run(Output.PIPE, broken, "kek", "generate"));
    String printed = err.toString(StandardCharsets.UTF_8);
    assertTrue(printed.startsWith("keyfleet: this is a bug: IllegalStateException at "), printed);
    assertTrue(printed.lines().toList().getLast().startsWith("Try: "), printed);
    assertFalse(printed.contains("s3cret"), printed);
  }

  @Test
  void folderAndFlagForStdout_writesNoFile() {
    String provider = "file:" + folder;
    assertEquals(
        0,
        run(
            Output.PIPE,
            CommandDispatcherTest::providerContext,
            "kek",
            "generate",
            "--stdout",
            "--version=1",
            "--provider=" + provider));
    assertFalse(Files.exists(folder.resolve("main.v1.key")));
  }

  @Test
  void version_needsNoRuntime() {
    Supplier<ProviderContext> broken =
        () -> {
          throw new IllegalStateException("the runtime was requested");
        };
    assertEquals(0, run(Output.PIPE, broken, "--version"));
    assertTrue(out.toString(StandardCharsets.UTF_8).startsWith("keyfleet "));
  }

  private static final class UnusedTicker implements Ticker {
    @Override
    public long nanos() {
      return 0;
    }

    @Override
    public void pause(Duration duration) {
      throw new IllegalStateException("nothing here waits");
    }
  }
}
