package keyfleet.cli.config;

import java.util.List;
import java.util.stream.Stream;
import keyfleet.cli.output.CommandException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ProviderSpec.ProviderContext;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// The options for a keyring, its key providers and a key version.
public final class KeyOptions {
  private static final String KEYRING = "--keyring";
  private static final String PROVIDER = "--provider";
  private static final String VERSION = "--version";

  private KeyOptions() {}

  public static CommandSpec addKeyring(CommandSpec spec) {
    return addKeyring(spec, KeyringName.MAIN);
  }

  private static CommandSpec addKeyring(CommandSpec spec, KeyringName defaultKeyring) {
    return spec.addOption(
        OptionSpec.builder(KEYRING)
            .paramLabel("NAME")
            .type(String.class)
            .description("The keyring (default: " + defaultKeyring + ").")
            .build());
  }

  /// The flag that names this keyring in a command to paste, with a space before it; empty for the
  /// default keyring.
  public static String keyringFlag(KeyringName keyring) {
    return keyring.equals(KeyringName.MAIN) ? "" : " " + KEYRING + "=" + keyring;
  }

  public static CommandSpec addTo(CommandSpec spec) {
    return addTo(spec, KeyringName.MAIN);
  }

  public static CommandSpec addTo(CommandSpec spec, KeyringName defaultKeyring) {
    return addKeyring(spec, defaultKeyring)
        .addOption(
            OptionSpec.builder(PROVIDER)
                .paramLabel("PROVIDER")
                .type(List.class)
                .auxiliaryTypes(String.class)
                .description(
                    "A key provider; may be repeated. Default: "
                        + ConfigKey.PROVIDERS.variable()
                        + " (a comma list), else env. One of:",
                    "  env",
                    "  file:DIR",
                    "  pkcs11:MODULE?token=LABEL&pin-file=FILE (or &pin-fd=N)",
                    "  vault:https://HOST:8200?token-file=FILE (&mount=transit&key=NAME)",
                    "  awskms:REGION (?alias=NAME)",
                    "  simulated:DIR?latency=20ms&rate=100")
                .build());
  }

  public static OptionSpec.Builder versionOption() {
    return OptionSpec.builder(VERSION).paramLabel("N").type(String.class);
  }

  public static KeyringName keyring(ParseResult parsed, ProviderContext runtime) {
    return keyring(parsed, runtime, KeyringName.MAIN);
  }

  /// The keyring of the flag or variable, else `defaultKeyring`.
  public static KeyringName keyring(
      ParseResult parsed, ProviderContext runtime, KeyringName defaultKeyring) {
    return Setting.find(parsed, KEYRING, ConfigKey.KEYRING, runtime.environment())
        .map(Setting::toKeyringName)
        .orElse(defaultKeyring);
  }

  public static KekVersion version(ParseResult parsed) {
    return version(parsed, VERSION);
  }

  /// The version that `option` names.
  public static KekVersion version(ParseResult parsed, String option) {
    if (!parsed.hasMatchedOption(option)) {
      throw new CommandException(option + " is missing; it names the key version", option + "=1");
    }
    String digits = parsed.matchedOptionValue(option, "");
    return KekVersion.parse(digits)
        .orElseThrow(() ->
            new CommandException(
                option + "=" + digits + " is not a version; use a positive integer",
                option + "=1"));
  }

  public static List<ProviderSpec> providers(ParseResult parsed, ProviderContext runtime) {
    List<String> given = parsed.matchedOptionValue(PROVIDER, List.of());
    String variable = runtime.environment().getOrDefault(ConfigKey.PROVIDERS.variable(), "env");
    Stream<String> texts = given.isEmpty() ? Stream.of(variable.split(",", -1)) : given.stream();
    return texts.map(String::strip).map(KekProviderSet::parseSpec).toList();
  }
}
