package keyfleet.cli.kek;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.KekProvider;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ProviderSpec.ProviderContext;
import picocli.CommandLine.ParseResult;

/// Does every key that this host holds wrap and unwrap?
final class LocalVerification {
  private final Console console;
  private final Supplier<ProviderContext> around;

  LocalVerification(Console console, Supplier<ProviderContext> around) {
    this.console = console;
    this.around = around;
  }

  int run(ParseResult parsed) {
    KeyringName keyring = KeyOptions.keyring(parsed, around.get());
    List<ProviderSpec> specs = KeyOptions.providers(parsed, around.get());
    OutputFormat format = OutputFormat.of(parsed);
    List<KeyCheckResult> trips = new ArrayList<>();
    for (ProviderSpec spec : specs) {
      try (KekProvider provider = spec.open(keyring, around.get())) {
        trips.addAll(trips(provider));
      }
    }
    KeyCheckResult.print(keyring, trips, format, console.out());
    return verdict(keyring, trips);
  }

  private List<KeyCheckResult> trips(KekProvider provider) {
    KekSet kekSet = provider.load();
    var cipher = new EnvelopeCipher(kekSet, around.get().random());
    return kekSet.versions().stream().map(v -> trip(provider.name(), cipher, v)).toList();
  }

  private static KeyCheckResult trip(String provider, EnvelopeCipher cipher, KekVersion version) {
    try {
      String problem = cipher.canRoundTrip(version) ? "" : "unwraps to something else";
      return new KeyCheckResult(provider, version, problem);
    } catch (KekUnavailableException e) {
      return new KeyCheckResult(provider, version, e.getMessage());
    }
  }

  private int verdict(KeyringName keyring, List<KeyCheckResult> trips) {
    long failed = trips.stream().filter(trip -> !trip.ok()).count();
    if (trips.isEmpty()) {
      console.complain(
          "no key of keyring " + keyring + " is loaded",
          "keyfleet kek generate --help, or --provider to look elsewhere");
      return ExitCode.CONDITION_NOT_MET;
    }
    if (failed > 0) {
      console.complain(
          failed + " of " + trips.size() + " keys failed",
          "check the provider of each failed key, then run the command again");
      return ExitCode.CONDITION_NOT_MET;
    }
    return ExitCode.OK;
  }
}
