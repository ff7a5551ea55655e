package keyfleet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.output.Console.Output;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.providers.Ticker;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Cases that the transcripts cannot show: output to a terminal, and internal errors.
class CommandDispatcherTest {
  @TempDir Path folder = Path.of("");

  private static CommandResult run(
      Output output, Supplier<ProviderContext> runtime, String... args) {
    return CliFleet.run(
        console ->
            new CommandDispatcher(
                console, runtime, CommandDispatcherTest::noStore, () -> CliFleet.ANNA),
        output,
        "",
        args);
  }

  private static Engine noStore(StoreUrl url) {
    throw new AssertionError("no command here needs " + url);
  }

  private static ProviderContext providerContext() {
    return new ProviderContext(Map.of(), new SecureRandom(), new UnusedTicker());
  }

  @Test
  void keyOnATerminal_isWithheldUnlessRequested() {
    Supplier<ProviderContext> runtime = CommandDispatcherTest::providerContext;
    CommandResult withheld = run(Output.TERMINAL, runtime, "kek", "generate").expectExit(1);
    assertEquals("", withheld.out());
    assertTrue(withheld.err().contains("--stdout"));
    CommandResult printed = run(Output.TERMINAL, runtime, "kek", "generate", "--stdout");
    assertTrue(printed.expectExit(0).out().matches("[0-9a-f]{64}\n"));
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
    String printed = run(Output.PIPE, broken, "kek", "generate").expectExit(1).err();
    assertTrue(printed.startsWith("keyfleet: this is a bug: IllegalStateException at "), printed);
    assertTrue(printed.lines().toList().getLast().startsWith("Try: "), printed);
    assertFalse(printed.contains("s3cret"), printed);
  }

  @Test
  void folderAndFlagForStdout_writesNoFile() {
    String provider = "file:" + folder;
    run(
            Output.PIPE,
            CommandDispatcherTest::providerContext,
            "kek",
            "generate",
            "--stdout",
            "--version=1",
            "--provider=" + provider)
        .expectExit(0);
    assertFalse(Files.exists(folder.resolve("main.v1.key")));
  }

  @Test
  void version_needsNoRuntime() {
    Supplier<ProviderContext> broken =
        () -> {
          throw new IllegalStateException("the runtime was requested");
        };
    CommandResult result = run(Output.PIPE, broken, "--version").expectExit(0);
    assertTrue(result.out().startsWith("keyfleet "));
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
