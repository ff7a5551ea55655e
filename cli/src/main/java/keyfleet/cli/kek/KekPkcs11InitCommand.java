package keyfleet.cli.kek;

import java.util.List;
import java.util.function.Supplier;
import keyfleet.cli.command.Command;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.crypto.KekVersion;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ProviderSpec.Pkcs11;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.providers.pkcs11.Pkcs11Provider;
import keyfleet.providers.pkcs11.Pkcs11Settings;
import picocli.CommandLine.ParseResult;

/// `kek pkcs11-init`: creates a key inside a PKCS#11 token. The key never leaves the token.
public record KekPkcs11InitCommand(Console console, Supplier<ProviderContext> runtime)
    implements Command {
  @Override
  public CommandOptions options() {
    return CommandOptions.of(
            this,
            "Creates a key inside a PKCS#11 token.",
            "The key is AES-256, labelled keyfleet-<keyring>-v<N>, and not extractable. A label"
                + " that exists is refused.")
        .add(ConfigKeys.KEYRING, ConfigKeys.PROVIDERS)
        .required(KeyOptions.VERSION, "N", "The version to create.");
  }

  @Override
  public int run(ParseResult parsed) {
    KekVersion version = KeyOptions.version(parsed);
    Pkcs11Settings settings = token(KeyOptions.providers(parsed, runtime.get()));
    var keyring = KeyOptions.keyring(parsed, runtime.get());
    try (var provider = new Pkcs11Provider(keyring, settings, runtime.get().random())) {
      provider.generate(version);
    }
    console.printMessage(
        "created keyfleet-%s-%s in token %s".formatted(keyring, version, settings.tokenLabel()));
    return ExitCode.OK;
  }

  private static Pkcs11Settings token(List<ProviderSpec> specs) {
    if (specs.size() == 1 && specs.getFirst() instanceof Pkcs11(Pkcs11Settings settings)) {
      return settings;
    }
    throw new CommandException(
        "pkcs11-init needs exactly one provider, of kind pkcs11",
        "--provider 'pkcs11:MODULE?token=LABEL&pin-file=FILE'");
  }
}
