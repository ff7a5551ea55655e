package keyfleet.cli.demo;

import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.output.CommandException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// `demo`: a fleet on this machine, a laggard, a rotation under load whose driver dies, and the end
/// of the old key. Nothing is left behind, and nothing of the caller's is read.
public final class DemoCommand implements Command {
  private final CommandContext context;
  private final String launcher;

  /// `launcher` is the program that the demonstration calls; empty if nobody knows.
  public DemoCommand(CommandContext context, String launcher) {
    this.context = context;
    this.launcher = launcher;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    spec.usageMessage()
        .description(
            "Shows a rotation on real processes, in about a minute, on this machine alone.",
            "Exit: 0 every claim held; 1 one did not.");
    return spec;
  }

  @Override
  public int run(ParseResult parsed) {
    if (launcher.isEmpty()) {
      throw new CommandException(
          "demo starts other processes, and was not told by which program", "./keyfleet demo");
    }
    LocalDemoFleet fleet = LocalDemoFleet.open(launcher, context.runtime().get().ticker());
    // Also if a signal ends this process: it would leave others behind.
    Thread hook = Thread.ofPlatform().name("keyfleet-demo-end").unstarted(fleet::close);
    Runtime.getRuntime().addShutdownHook(hook);
    return new DemoScenario(fleet, context.console().out()).run();
  }
}
