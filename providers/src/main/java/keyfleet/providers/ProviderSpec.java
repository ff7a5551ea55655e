package keyfleet.providers;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.file.FileProvider;
import keyfleet.providers.pkcs11.Pkcs11Provider;
import keyfleet.providers.pkcs11.Pkcs11Settings;
import keyfleet.providers.vault.VaultProvider;
import keyfleet.providers.vault.VaultSpec;
import org.jspecify.annotations.Nullable;

/// A provider as an operator names it: `env`, `file:DIR`,
/// `pkcs11:MODULE?token=LABEL&pin-file=FILE`, `vault:URL?token-file=FILE`,
/// `simulated:DIR?latency=20ms&rate=100`. Other rooms bring kinds of their own.
public interface ProviderSpec {
  /// The provider itself, which has not looked for keys yet.
  KekProvider open(KeyringName keyring, ProviderContext around);

  /// What a provider needs from the process it runs in.
  record ProviderContext(Map<String, String> environment, SecureRandom random, Ticker ticker) {}

  record Env() implements ProviderSpec {
    @Override
    public KekProvider open(KeyringName keyring, ProviderContext around) {
      return new EnvProvider(keyring, around.environment(), around.random());
    }
  }

  record KeyFolder(Path folder) implements ProviderSpec {
    @Override
    public KekProvider open(KeyringName keyring, ProviderContext around) {
      return new FileProvider(keyring, folder, around.random());
    }
  }

  record Pkcs11(Pkcs11Settings settings) implements ProviderSpec {
    @Override
    public KekProvider open(KeyringName keyring, ProviderContext around) {
      return new Pkcs11Provider(keyring, settings, around.random());
    }
  }

  record Simulated(Path folder, Duration latency, int callsPerSecond) implements ProviderSpec {
    @Override
    public KekProvider open(KeyringName keyring, ProviderContext around) {
      return new SimulatedProvider(
          new FileProvider(keyring, folder, around.random()),
          new SimulatedRemote(latency, callsPerSecond, around.ticker()));
    }
  }

  /// A provider of this room.
  static ProviderSpec parse(String text) {
    ProviderSpecReader parts = new ProviderSpecReader(text);
    ProviderSpec spec =
        switch (parts.kind()) {
          case EnvProvider.NAME -> env(parts);
          case FileProvider.NAME -> new KeyFolder(parts.path("file:DIR"));
          case Pkcs11Provider.NAME -> new Pkcs11(pkcs11(parts));
          case VaultProvider.NAME -> VaultSpec.parse(parts);
          case SimulatedProvider.NAME -> simulated(parts);
          default -> throw parts.bad("there is no such kind", Syntax.ALL);
        };
    parts.refuseLeftovers();
    return spec;
  }

  private static ProviderSpec env(ProviderSpecReader parts) {
    if (parts.hasPath()) {
      throw parts.bad("env takes nothing behind it", "env");
    }
    return new Env();
  }

  private static Pkcs11Settings pkcs11(ProviderSpecReader parts) {
    Path module = parts.path(Syntax.PKCS11);
    String token = parts.take("token");
    if (token == null || token.isBlank()) {
      throw parts.bad("token= is missing", Syntax.PKCS11);
    }
    return new Pkcs11Settings(module, token, pin(parts));
  }

  private static Pkcs11Settings.PinSource pin(ProviderSpecReader parts) {
    String file = parts.take("pin-file");
    String descriptor = parts.take("pin-fd");
    if (file != null && descriptor == null) {
      return new Pkcs11Settings.PinFile(parts.path(file, Syntax.PKCS11));
    }
    if (file == null && descriptor != null && Syntax.DESCRIPTOR.matcher(descriptor).matches()) {
      return new Pkcs11Settings.PinDescriptor(Integer.parseInt(descriptor));
    }
    throw parts.bad("the PIN comes from one of pin-file=FILE and pin-fd=NUMBER", Syntax.PKCS11);
  }

  private static ProviderSpec simulated(ProviderSpecReader parts) {
    Path folder = parts.path("simulated:DIR");
    Duration latency = duration(parts.take("latency", "0ms"));
    String rate = parts.take("rate", "1000000");
    if (latency == null) {
      throw parts.bad("latency= is not a duration", "latency=500ms or latency=2s");
    }
    if (!Syntax.RATE.matcher(rate).matches()) {
      throw parts.bad("rate= is not a number of calls a second", "rate=100");
    }
    return new Simulated(folder, latency, Integer.parseInt(rate));
  }

  private static @Nullable Duration duration(String text) {
    Matcher matcher = Syntax.DURATION.matcher(text);
    if (!matcher.matches()) {
      return null;
    }
    long amount = Long.parseLong(matcher.group(1));
    return matcher.group(2).equals("s") ? Duration.ofSeconds(amount) : Duration.ofMillis(amount);
  }

  /// How the parts must look.
  final class Syntax {
    private static final String PKCS11 = "pkcs11:MODULE?token=LABEL&pin-file=FILE";
    private static final String ALL =
        "env, file:DIR, " + PKCS11 + ", vault:URL?token-file=FILE or awskms:REGION";
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(ms|s)");
    private static final Pattern DESCRIPTOR = Pattern.compile("[0-9]{1,4}");
    private static final Pattern RATE = Pattern.compile("[1-9][0-9]{0,8}");

    private Syntax() {}
  }
}
