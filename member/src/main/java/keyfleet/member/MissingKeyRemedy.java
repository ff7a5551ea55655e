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

  /// For a process that has loaded other bytes than the fleet's. What it has loaded is never
  /// replaced in memory, so the wrong key must be gone for a heartbeat.
  ///
  /// @param folder where it looks for key files; empty if that is unknown
  public static String forOtherBytes(
      String provider, KeyringName keyring, KekVersion version, String folder) {
    return switch (provider) {
      case "env" -> forThisProcess(provider, keyring, version);
      case "file", "simulated" ->
          "remove %1$s.%2$s.key from %3$s, wait for a heartbeat, then place the fleet's %1$s.%2$s.key in %3$s"
              .formatted(keyring, version, folder.isEmpty() ? "the key folder" : folder);
      default ->
          "remove its key of %1$s, wait for a heartbeat, then place the key of %1$s that the rest of the fleet has (provider %2$s)"
              .formatted(version, provider);
    };
  }

  /// For a command, which reads its keys each time it runs.
  public static String forCommand(String provider, KeyringName keyring, KekVersion version) {
    return switch (provider) {
      case "env" ->
          "set %s to the fleet's bytes, and run the same command again"
              .formatted(variable(keyring, version));
      case "file", "simulated" ->
          "name the folder that has the fleet's %s.%s.key with --provider=file:FOLDER"
              .formatted(keyring, version);
      default ->
          "name the provider %s that has %s %s with --provider"
              .formatted(provider, keyring, version);
    };
  }

  /// How to make a key that no host has yet.
  public static String forNewKey(String provider, KeyringName keyring, KekVersion version) {
    return switch (provider) {
      case "env" -> "export %s=$(keyfleet kek generate)".formatted(variable(keyring, version));
      case "file" ->
          "keyfleet kek generate --version=%d%s"
              .formatted(
                  version.number(),
                  keyring.equals(KeyringName.MAIN) ? "" : " --keyring=" + keyring);
      default -> "name the provider that has it with --provider";
    };
  }

  /// For another process, which the caller names before the text: `On api-1: …`.
  ///
  /// @param folder where it looks for key files; empty if that is unknown
  public static String forOtherProcess(
      String provider, KeyringName keyring, KekVersion version, String folder) {
    return switch (provider) {
      case "env" -> "set %s and restart the process".formatted(variable(keyring, version));
      case "file", "simulated" ->
          folder.isEmpty()
              ? "copy %s.%s.key with mode 0600 into the key folder; no restart is needed"
                  .formatted(keyring, version)
              : "place %s.%s.key in %s with mode 0600; no restart is needed"
                  .formatted(keyring, version, folder);
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
