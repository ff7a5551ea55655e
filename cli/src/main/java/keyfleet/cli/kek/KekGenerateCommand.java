package keyfleet.cli.kek;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import keyfleet.cli.command.Command;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.crypto.SecretBytes;
import keyfleet.crypto.SoftwareKek;
import keyfleet.providers.KeyHex;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ProviderSpec.KeyFolder;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.providers.file.KeyFile;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// `kek generate`: 32 random bytes, into a key file or, if that is asked for, to standard output.
/// It makes bytes and nothing else; no keystore learns of them.
public final class KekGenerateCommand implements Command {
  private final Console console;
  private final Supplier<ProviderContext> runtime;

  public KekGenerateCommand(Console console, Supplier<ProviderContext> runtime) {
    this.console = console;
    this.runtime = runtime;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = KeyOptions.addTo(CommandSpec.wrapWithoutInspection(this));
    spec.addOption(KeyOptions.version().description("The version; needed for a key file.").build());
    spec.addOption(
        OptionSpec.builder("--stdout")
            .type(boolean.class)
            .description("Print the key, even on a terminal.")
            .build());
    spec.usageMessage()
        .description(
            "Makes the bytes of a new key, and nothing else.",
            "With --provider file:DIR: writes DIR/<keyring>.v<N>.key, mode 0600, never over an"
                + " existing file.",
            "Otherwise prints 64 hex digits: into a pipe, or on a terminal with --stdout.");
    return spec;
  }

  @Override
  public int run(ParseResult parsed) {
    try (SecretBytes key = SecretBytes.random(SoftwareKek.BYTES, runtime.get().random())) {
      boolean toStdout = parsed.matchedOptionValue("--stdout", false);
      List<ProviderSpec> providers = KeyOptions.providers(parsed, runtime.get());
      if (!toStdout
          && providers.size() == 1
          && providers.getFirst() instanceof KeyFolder(var folder)) {
        var file =
            KeyFile.in(
                folder, KeyOptions.keyring(parsed, runtime.get()), KeyOptions.version(parsed));
        file.create(key);
        console.err().println("wrote " + file);
      } else {
        print(key, toStdout);
      }
      return ExitCode.OK;
    }
  }

  private void print(SecretBytes key, boolean isForced) {
    if (console.output() == Console.Output.TERMINAL && !isForced) {
      throw new CommandException(
          "a key is not shown on a terminal unless --stdout is given",
          "keyfleet kek generate --version=1 --provider file:DIR");
    }
    byte[] text = KeyHex.format(key);
    console.out().writeBytes(text);
    console.out().flush();
    Arrays.fill(text, (byte) 0);
  }
}
