package keyfleet.providers;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.SecretBytes;

/// KEKs in environment variables. A process keeps the environment it started with, so a new version
/// needs a restart.
final class EnvProvider implements KekProvider {
  static final String NAME = "env";

  private static final String PREFIX = "KEYFLEET_KEK_";

  /// The keyring of a variable without a keyring name.
  private static final String DEFAULT_KEYRING = KeyringName.MAIN.toVariableForm();

  private static final Pattern VARIABLE =
      Pattern.compile(PREFIX + "(?:(?<ring>[A-Z][A-Z0-9_]*)_)?V(?<version>[^_]*)");

  private final KeyringName keyring;
  private final Map<String, String> environment;
  private final SoftwareKekRegistry registry;

  EnvProvider(KeyringName keyring, Map<String, String> environment, SecureRandom random) {
    this.keyring = keyring;
    this.environment = environment;
    this.registry = new SoftwareKekRegistry(keyring, random);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public KekSet load() {
    findVariables().forEach(this::read);
    return registry.toKekSet();
  }

  /// A process cannot change the environment that other processes start with.
  @Override
  public KeyDeletion prepareDeletion(KekVersion version, Set<KekVersion> kept) {
    return new KeyDeletion.ByHand(
        "remove "
            + findVariables().getOrDefault(version, "its variable")
            + " where it is set, and restart the processes that have it");
  }

  private void read(KekVersion version, String variable) {
    byte[] text = environment.getOrDefault(variable, "").getBytes(StandardCharsets.UTF_8);
    SecretBytes key = KeyHex.parse(text).orElseThrow(() -> invalidKey(variable));
    registry.put(version, key, variable);
  }

  private Map<KekVersion, String> findVariables() {
    Map<KekVersion, String> byVersion = new TreeMap<>();
    for (String name : environment.keySet()) {
      if (name.startsWith(PREFIX)) {
        parseVersion(name).ifPresent(version -> add(byVersion, version, name));
      }
    }
    return byVersion;
  }

  private static void add(Map<KekVersion, String> byVersion, KekVersion version, String name) {
    String other = byVersion.put(version, name);
    if (other != null) {
      throw new ProviderException(
          name + " and " + other + " both name " + version, "unset one of the two");
    }
  }

  /// The version that a variable holds for this keyring; empty for a variable of another keyring.
  /// An almost valid name is refused: it is a typing error that would otherwise show up much later,
  /// as a laggard.
  private Optional<KekVersion> parseVersion(String name) {
    Matcher matcher = VARIABLE.matcher(name);
    if (!matcher.matches()) {
      throw invalidName(name);
    }
    KekVersion version =
        KekVersion.parse(matcher.group("version")).orElseThrow(() -> invalidName(name));
    String ring = matcher.group("ring");
    boolean isOwn = keyring.toVariableForm().equals(ring == null ? DEFAULT_KEYRING : ring);
    return isOwn ? Optional.of(version) : Optional.empty();
  }

  private static ProviderException invalidName(String name) {
    return new ProviderException(
        name
            + " is not a valid key variable; the form is "
            + PREFIX
            + "V2 or "
            + PREFIX
            + "<RING>_V2",
        "rename or unset " + name);
  }

  private static ProviderException invalidKey(String variable) {
    return new ProviderException(
        variable + " does not hold a key: " + KeyHex.RULE, variable + "=$(keyfleet kek generate)");
  }

  @Override
  public void close() {
    registry.close();
  }
}
