package keyfleet.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import keyfleet.cli.CliFleet.CommandResult;
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
    assertEquals(Output.FILE, Output.of("file"));
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

  @Test
  void outputThatCannotBeWritten_isAnErrorOfEveryCommand() {
    for (String command : List.of("--version", "--help", "kek generate", "kek --help")) {
      CommandResult file = runOnFullDisk(Output.FILE, command);
      file.expectExit(1)
          .expectErrorStart(
              "keyfleet: standard output cannot be written: No space left on device\nTry: ");
    }
  }

  @Test
  void readerThatEnds_endsTheCommandWithoutAWord() {
    assertEquals(
        new CommandResult(141, "", ""), runOnFullDisk(Output.PIPE, "kek generate --stdout"));
  }

  private static CommandResult runOnFullDisk(Output output, String command) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Console console =
        new Console(
            InputStream.nullInputStream(),
            new FullDisk(),
            new PrintStream(err, true, UTF_8),
            UTF_8,
            output);
    Supplier<ProviderContext> runtime = CommandDispatcherTest::providerContext;
    int exit =
        new CommandDispatcher(console, runtime, CommandDispatcherTest::noStore, () -> CliFleet.ANNA)
            .run(command.split(" "));
    return new CommandResult(exit, "", err.toString(UTF_8));
  }

  private static final class FullDisk extends OutputStream {
    @Override
    public void write(int b) throws IOException {
      throw new IOException("No space left on device");
    }
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
