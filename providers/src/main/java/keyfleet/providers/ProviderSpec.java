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

/// A provider as an operator specifies it: `env`, `file:DIR`,
/// `pkcs11:MODULE?token=LABEL&pin-file=FILE`, `vault:URL?token-file=FILE`,
/// `simulated:DIR?latency=20ms&rate=100`. Other modules add kinds of their own.
public interface ProviderSpec {
  /// Creates the provider, which has not loaded any keys yet.
  KekProvider open(KeyringName keyring, ProviderContext context);

  /// What a provider needs from its process.
  record ProviderContext(Map<String, String> environment, SecureRandom random, Ticker ticker) {}

  record Env() implements ProviderSpec {
    @Override
    public KekProvider open(KeyringName keyring, ProviderContext context) {
      return new EnvProvider(keyring, context.environment(), context.random());
    }
  }

  record KeyFolder(Path folder) implements ProviderSpec {
    @Override
    public KekProvider open(KeyringName keyring, ProviderContext context) {
      return new FileProvider(keyring, folder, context.random());
    }
  }

  record Pkcs11(Pkcs11Settings settings) implements ProviderSpec {
    @Override
    public KekProvider open(KeyringName keyring, ProviderContext context) {
      return new Pkcs11Provider(keyring, settings, context.random());
    }
  }

  record Simulated(Path folder, Duration latency, int callsPerSecond) implements ProviderSpec {
    @Override
    public KekProvider open(KeyringName keyring, ProviderContext context) {
      return new SimulatedProvider(
          new FileProvider(keyring, folder, context.random()),
          new SimulatedRemote(latency, callsPerSecond, context.ticker()));
    }
  }

  /// Parses the specification of a provider of this module.
  static ProviderSpec parse(String text) {
    ProviderSpecReader reader = new ProviderSpecReader(text);
    ProviderSpec spec =
        switch (reader.kind()) {
          case EnvProvider.NAME -> parseEnv(reader);
          case FileProvider.NAME -> new KeyFolder(reader.path("file:DIR"));
          case Pkcs11Provider.NAME -> new Pkcs11(parsePkcs11(reader));
          case VaultProvider.NAME -> VaultSpec.parse(reader);
          case SimulatedProvider.NAME -> parseSimulated(reader);
          default -> throw reader.invalid("unknown provider kind", Syntax.ALL);
        };
    reader.refuseUnknownOptions();
    return spec;
  }

  private static ProviderSpec parseEnv(ProviderSpecReader reader) {
    if (reader.hasPath()) {
      throw reader.invalid("env takes no path", "env");
    }
    return new Env();
  }

  private static Pkcs11Settings parsePkcs11(ProviderSpecReader reader) {
    Path module = reader.path(Syntax.PKCS11);
    String token = reader.takeOption("token");
    if (token == null || token.isBlank()) {
      throw reader.invalid("token= is missing", Syntax.PKCS11);
    }
    return new Pkcs11Settings(module, token, parsePin(reader));
  }

  private static Pkcs11Settings.PinSource parsePin(ProviderSpecReader reader) {
    String file = reader.takeOption("pin-file");
    String descriptor = reader.takeOption("pin-fd");
    if (file != null && descriptor == null) {
      return new Pkcs11Settings.PinFile(reader.path(file, Syntax.PKCS11));
    }
    if (file == null && descriptor != null && Syntax.DESCRIPTOR.matcher(descriptor).matches()) {
      return new Pkcs11Settings.PinDescriptor(Integer.parseInt(descriptor));
    }
    throw reader.invalid(
        "the PIN comes from one of pin-file=FILE and pin-fd=NUMBER", Syntax.PKCS11);
  }

  private static ProviderSpec parseSimulated(ProviderSpecReader reader) {
    Path folder = reader.path("simulated:DIR");
    Duration latency = parseDuration(reader.takeOption("latency", "0ms"));
    String rate = reader.takeOption("rate", "1000000");
    if (latency == null) {
      throw reader.invalid("latency= is not a duration", "latency=500ms or latency=2s");
    }
    if (!Syntax.RATE.matcher(rate).matches()) {
      throw reader.invalid("rate= is not a number of calls per second", "rate=100");
    }
    return new Simulated(folder, latency, Integer.parseInt(rate));
  }

  private static @Nullable Duration parseDuration(String text) {
    Matcher matcher = Syntax.DURATION.matcher(text);
    if (!matcher.matches()) {
      return null;
    }
    long amount = Long.parseLong(matcher.group(1));
    return matcher.group(2).equals("s") ? Duration.ofSeconds(amount) : Duration.ofMillis(amount);
  }

  /// The patterns of the parts.
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
