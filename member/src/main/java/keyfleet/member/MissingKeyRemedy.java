package keyfleet.member;

import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;

/// Says how to give a process a key that it has not loaded. The answer depends on the provider that
/// has the key.
public final class MissingKeyRemedy {
  private MissingKeyRemedy() {}

  /// For the process that prints the text, in an error about itself.
  public static String forThisProcess(String provider, KeyringName keyring, KekVersion version) {
    return switch (provider) {
      case "env" ->
          "set %s to the fleet's bytes and restart the process"
              .formatted(variable(keyring, version));
      case "file", "simulated" ->
          "place the fleet's %s.%s.key in the key folder".formatted(keyring, version);
      case "pkcs11" ->
          "give the process the token that has the key keyfleet-%s-%s".formatted(keyring, version);
      case "vault" ->
          "give the process a token whose policy allows version %d of the keyring's Transit key, and keep the key's min_decryption_version at or below it"
              .formatted(version.number());
      case "awskms" ->
          "give the process a role that may use the KMS key that alias/keyfleet-%s-%s names, in its region"
              .formatted(keyring, version);
      default -> "give the process access to %s %s in %s".formatted(keyring, version, provider);
    };
  }

  /// For another process, which the caller names before the text: `On api-1: …`.
  public static String forOtherProcess(String provider, KeyringName keyring, KekVersion version) {
    return switch (provider) {
      case "env" -> "set %s and restart the process".formatted(variable(keyring, version));
      case "file", "simulated" ->
          "copy %s.%s.key with mode 0600 into the key folder; no restart is needed"
              .formatted(keyring, version);
      case "pkcs11" ->
          "provide keyfleet-%s-%s in its token; keyfleet kek pkcs11-init --version=%d creates it once for all processes that share the token"
              .formatted(keyring, version, version.number());
      case "vault" ->
          "give its Transit key version %d, not below min_decryption_version, and let the policy of its token allow it; bao write -f MOUNT/keys/KEY/rotate creates the next version for all processes"
              .formatted(version.number());
      case "awskms" ->
          "let its role use the KMS key behind alias/keyfleet-%s-%s in its configured region"
              .formatted(keyring, version);
      default -> "load %s from %s".formatted(version, provider);
    };
  }

  /// For this process, when the provider of `version` is unknown.
  static String forUnknownProvider(KeyringName keyring, KekVersion version) {
    return "provision %s %s where this process loads its keys".formatted(keyring, version);
  }

  /// The variable that the provider `env` reads. The keyring `main` has no name in it.
  private static String variable(KeyringName keyring, KekVersion version) {
    String prefix = keyring.equals(KeyringName.MAIN) ? "" : keyring.toVariableForm() + "_";
    return "KEYFLEET_KEK_%sV%d".formatted(prefix, version.number());
  }
}
