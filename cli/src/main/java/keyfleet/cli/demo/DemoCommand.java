package keyfleet.cli.demo;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicBoolean;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.output.CommandException;
import picocli.CommandLine.ParseResult;

/// `demo`: runs a fleet on this machine, with a laggard, a rotation under load whose driver is
/// killed, and the removal of the old key. It ignores the settings of the caller and leaves nothing
/// behind.
///
/// @param launcher the program that starts the processes; empty if it is unknown
public record DemoCommand(CommandContext context, String launcher) implements Command {
  /// 128 and the number of SIGINT, as after Ctrl-C.
  private static final int INTERRUPTED = 130;

  @Override
  public CommandOptions options() {
    return CommandOptions.of(
        this,
        "Shows a key rotation on local processes, in about a minute.",
        "Exit: 0 every claim held; 1 a claim did not hold.");
  }

  @Override
  public int run(ParseResult parsed) {
    if (launcher.isEmpty()) {
      throw new CommandException(
          "demo starts other processes, but does not know the program that starts keyfleet",
          "start it with the launcher, ./keyfleet");
    }
    AtomicBoolean isFinished = new AtomicBoolean();
    LocalDemoFleet fleet = LocalDemoFleet.open(launcher, context.runtime().get().ticker());
    // The hook also runs after a signal, so that no process of the demonstration stays behind.
    Thread hook =
        Thread.ofPlatform()
            .name("keyfleet-demo-end")
            .unstarted(() -> {
              fleet.close();
              if (!isFinished.get()) {
                context.console().err().println();
                context
                    .console()
                    .printMessage("demo was stopped; its processes and files are removed");
              }
            });
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      return new DemoScenario(fleet, untilStopped(fleet)).run();
    } catch (RuntimeException e) {
      if (fleet.isStopped()) { // the hook has ended the processes and removed their files
        return INTERRUPTED;
      }
      throw e;
    } finally {
      isFinished.set(!fleet.isStopped());
    }
  }

  /// Standard output. After Ctrl-C the script may still run for a moment, and prints nothing more.
  private PrintStream untilStopped(LocalDemoFleet fleet) {
    OutputStream out =
        new FilterOutputStream(context.console().out()) {
          @Override
          public void write(byte[] bytes, int offset, int length) throws IOException {
            if (!fleet.isStopped()) {
              out.write(bytes, offset, length);
            }
          }
        };
    return new PrintStream(out, true, context.console().out().charset());
  }
}
