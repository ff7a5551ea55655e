package keyfleet.cli.kek;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import keyfleet.cli.command.Command;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
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
import picocli.CommandLine.ParseResult;

/// `kek generate`: writes 32 random bytes to a key file, or prints them. It changes no store.
public record KekGenerateCommand(Console console, Supplier<ProviderContext> runtime)
    implements Command {
  @Override
  public CommandOptions options() {
    return CommandOptions.of(
            this,
            "Generates a new key, in a file or on standard output.",
            "With --provider file:DIR: writes DIR/<keyring>.v<N>.key with mode 0600; an existing"
                + " file is never overwritten.",
            "Otherwise prints 64 hex digits: to a pipe, or to a terminal with --stdout.")
        .add(ConfigKeys.KEYRING, ConfigKeys.PROVIDERS)
        .text(KeyOptions.VERSION, "N", "The version of the key; required for a key file.")
        .flag("--stdout", "Print the key, even on a terminal.");
  }

  @Override
  public int run(ParseResult parsed) {
    if (parsed.hasMatchedOption(KeyOptions.VERSION)) {
      KeyOptions.version(parsed); // a wrong number is refused, also if the key is only printed
    }
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
        console.printMessage("wrote " + file);
      } else {
        print(key, toStdout);
      }
      return ExitCode.OK;
    }
  }

  private void print(SecretBytes key, boolean isForced) {
    if (console.output() == Console.Output.TERMINAL && !isForced) {
      throw new CommandException(
          "a key is not printed on a terminal without --stdout",
          "add --stdout, or name a folder with --version=1 --provider file:DIR");
    }
    byte[] text = KeyHex.format(key);
    try {
      console.out().writeBytes(text);
      console.out().flush();
    } finally {
      Arrays.fill(text, (byte) 0);
    }
  }
}
