package keyfleet.providers;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import keyfleet.crypto.KeyringName;

/// A provider as an operator names it: `env`, `file:DIR`,
/// `pkcs11:MODULE?token=LABEL&pin-file=FILE`, `simulated:DIR?latency=20ms&rate=100`.
public sealed interface ProviderSpec {
  record Env() implements ProviderSpec {}

  record KeyFolder(Path folder) implements ProviderSpec {}

  record Simulated(Path folder, Duration latency, int callsPerSecond) implements ProviderSpec {}

  /// What a provider needs from the process it runs in.
  record Surroundings(Map<String, String> environment, SecureRandom random, Ticker ticker) {}

  static ProviderSpec parse(String text) {
    return ProviderText.parse(text);
  }

  static KekProvider open(ProviderSpec spec, KeyringName keyring, Surroundings around) {
    return switch (spec) {
      case Env() -> new EnvProvider(keyring, around.environment(), around.random());
      case KeyFolder(Path folder) -> new FileProvider(keyring, folder, around.random());
      case Simulated(Path folder, Duration latency, int callsPerSecond) ->
          new SimulatedProvider(
              new FileProvider(keyring, folder, around.random()),
              new SimulatedRemote(latency, callsPerSecond, around.ticker()));
    };
  }
}
