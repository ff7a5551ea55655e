package keyfleet.cli.demo;

import java.util.concurrent.atomic.AtomicBoolean;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.ExitCode;
import picocli.CommandLine.ParseResult;

/// `demo`: runs a fleet on this machine, with a laggard, a rotation under load whose driver is
/// killed, and the removal of the old key. It ignores the settings of the caller and leaves nothing
/// behind.
///
/// @param launcher the program that starts the processes; empty if it is unknown
public record DemoCommand(CommandContext context, String launcher) implements Command {
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
    AtomicBoolean isStopped = new AtomicBoolean();
    LocalDemoFleet fleet = LocalDemoFleet.open(launcher, context.runtime().get().ticker());
    // The hook also runs after a signal, so that no process of the demonstration stays behind.
    Thread hook =
        Thread.ofPlatform()
            .name("keyfleet-demo-end")
            .unstarted(() -> {
              isStopped.set(true);
              fleet.close();
            });
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      return new DemoScenario(fleet, context.console().out()).run();
    } catch (RuntimeException e) {
      if (isStopped.get()) { // the hook has ended the processes and removed their files
        return ExitCode.OK;
      }
      throw e;
    }
  }
}
