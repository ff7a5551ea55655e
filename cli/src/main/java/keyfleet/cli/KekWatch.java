package keyfleet.cli;

import keyfleet.cli.Screen.Manner;
import keyfleet.cli.WaitOptions.Deadline;
import keyfleet.keyring.Rotation;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// `kek watch`: shows the rotation that is under way until it ends.
final class KekWatch implements Command {
  private final Office office;

  KekWatch(Office office) {
    this.office = office;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = KeyOptions.addKeyring(CommandSpec.wrapWithoutInspection(this));
    StoreOptions.addTo(spec).addOption(OutputFormat.option());
    spec.usageMessage()
        .description(
            "Shows the rotation that is under way until it ends. Ctrl-C leaves it going on.",
            "Exit: 0 it was completed, or none is under way; 2 it came to something else.");
    return spec;
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    Console console = office.console();
    try (Desk desk = office.desk(parsed)) {
      RotationView first = RotationView.at(desk);
      if (!first.isUnderWay()) {
        first.print(format, console.out());
        return Exit.OK;
      }
      Screen screen = new Screen(console, Manner.of(console, format));
      RotationView last =
          new Follow(desk, console, screen)
              .until(view -> !view.isUnderWay(), Deadline.never(desk.ticker()));
      return last.rotation() instanceof Rotation.Completed ? Exit.OK : Exit.CONDITION_NOT_MET;
    }
  }
}
