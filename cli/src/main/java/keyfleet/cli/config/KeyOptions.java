package keyfleet.cli.config;

import static keyfleet.cli.config.ConfigKeys.KEYRING;
import static keyfleet.cli.config.ConfigKeys.KEYRINGS;
import static keyfleet.cli.config.ConfigKeys.PROVIDERS;

import java.util.List;
import java.util.stream.Stream;
import keyfleet.cli.output.CommandException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.server.KeyringSelection;
import picocli.CommandLine.ParseResult;

/// The options for a keyring, its key providers and a key version.
public final class KeyOptions {
  public static final String VERSION = "--version";

  private KeyOptions() {}

  /// The flag that names this keyring in a command to paste, with a space before it; empty for the
  /// default keyring.
  public static String keyringFlag(KeyringName keyring) {
    return keyring.equals(KeyringName.MAIN) ? "" : " " + KEYRING.flag() + "=" + keyring;
  }

  public static KeyringName keyring(ParseResult parsed, ProviderContext runtime) {
    return keyring(parsed, runtime, KeyringName.MAIN);
  }

  /// The keyring of the flag or variable, else `defaultKeyring`.
  public static KeyringName keyring(
      ParseResult parsed, ProviderContext runtime, KeyringName defaultKeyring) {
    return KEYRING.find(parsed, runtime.environment()).orElse(defaultKeyring);
  }

  /// The keyrings that a server serves. The name `all` stands for every keyring.
  public static KeyringSelection keyrings(ParseResult parsed, ProviderContext runtime) {
    List<String> given = parsed.matchedOptionValue(KEYRINGS.flag(), List.of());
    String variable = runtime.environment().getOrDefault(KEYRINGS.variable(), "");
    if (given.isEmpty() && variable.isEmpty()) {
      return KeyringSelection.of(KEYRING.find(runtime.environment()).orElse(KeyringName.MAIN));
    }
    String origin = given.isEmpty() ? KEYRINGS.variable() : KEYRINGS.flag();
    List<KeyringName> named =
        (given.isEmpty() ? Stream.of(variable.split(",", -1)) : given.stream())
            .map(it -> KEYRINGS.parser().apply(Setting.named(origin, it.strip())))
            .toList();
    return named.contains(new KeyringName("all"))
        ? KeyringSelection.ALL
        : new KeyringSelection(named);
  }

  public static KekVersion version(ParseResult parsed) {
    return version(parsed, VERSION);
  }

  /// The version that `option` names.
  public static KekVersion version(ParseResult parsed, String option) {
    if (!parsed.hasMatchedOption(option)) {
      throw new CommandException(option + " is missing; it names the key version", option + "=1");
    }
    Setting digits = Setting.named(option, parsed.matchedOptionValue(option, ""));
    return KekVersion.parse(digits.text())
        .orElseThrow(() -> digits.invalidValue("a version; use a positive integer", "1"));
  }

  public static List<ProviderSpec> providers(ParseResult parsed, ProviderContext runtime) {
    List<String> given = parsed.matchedOptionValue(PROVIDERS.flag(), List.of());
    String variable = runtime.environment().getOrDefault(PROVIDERS.variable(), "env");
    Stream<String> texts = given.isEmpty() ? Stream.of(variable.split(",", -1)) : given.stream();
    return texts.map(String::strip).map(KekProviderSet::parseSpec).toList();
  }
}
