package keyfleet.cli.config;

import java.util.List;
import keyfleet.cli.output.OutputFormat;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/// The options and the help text of a command, built for picocli. The value of each option is text;
/// the command parses it.
public final class CommandOptions {
  private final CommandSpec spec;

  private CommandOptions(CommandSpec spec) {
    this.spec = spec;
  }

  /// The first line of the description also stands in the list of commands.
  public static CommandOptions of(Object command, String... description) {
    CommandSpec spec = CommandSpec.wrapWithoutInspection(command);
    spec.usageMessage().description(description);
    return new CommandOptions(spec);
  }

  /// An option without a value.
  public CommandOptions flag(String name, String description) {
    spec.addOption(OptionSpec.builder(name).type(boolean.class).description(description).build());
    return this;
  }

  public CommandOptions text(String name, String label, String... description) {
    return add(builder(name, label, description));
  }

  /// An option whose value may be left out.
  public CommandOptions optionalText(String name, String label, String... description) {
    return add(builder(name, label, description).arity("0..1").fallbackValue(""));
  }

  public CommandOptions required(String name, String label, String... description) {
    return add(builder(name, label, description).required(true));
  }

  /// A required argument without a name.
  public CommandOptions parameter(String label, String description) {
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("0")
            .arity("1")
            .required(true)
            .paramLabel(label)
            .type(String.class)
            .description(description)
            .build());
    return this;
  }

  /// Adds the flags of these settings.
  public CommandOptions add(SettingSpec<?>... settings) {
    for (SettingSpec<?> setting : settings) {
      OptionSpec.Builder option =
          builder(setting.flag(), setting.label(), setting.description().toArray(String[]::new));
      boolean isRepeated = setting.arity() == SettingSpec.Arity.REPEATED;
      add(isRepeated ? option.type(List.class).auxiliaryTypes(String.class) : option);
    }
    return this;
  }

  public CommandOptions outputFormat() {
    spec.addOption(OutputFormat.option());
    return this;
  }

  private CommandOptions add(OptionSpec.Builder option) {
    spec.addOption(option.build());
    return this;
  }

  private static OptionSpec.Builder builder(String name, String label, String... description) {
    return OptionSpec.builder(name).paramLabel(label).type(String.class).description(description);
  }

  /// The command for picocli, which prints the help and parses the arguments.
  public CommandSpec spec() {
    return spec;
  }
}
