package keyfleet.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// `kek status`: how far the rotation of a keyring is.
final class KekStatus implements Command {
  private final Office office;

  KekStatus(Office office) {
    this.office = office;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = KeyOptions.addKeyring(CommandSpec.wrapWithoutInspection(this));
    StoreOptions.addTo(spec).addOption(OutputFormat.option());
    spec.usageMessage().description("Shows how far the rotation of a keyring is, and what failed.");
    return spec;
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    try (Desk desk = office.desk(parsed)) {
      RotationView.at(desk).print(format, office.console().out());
      return Exit.OK;
    }
  }
}
