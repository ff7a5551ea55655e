package keyfleet.cli.kek;

import java.util.List;
import keyfleet.cli.output.Console;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.FleetReadiness.Laggard;
import keyfleet.keyring.FleetReadiness.Reason;
import keyfleet.keyring.Heartbeat;

/// What helps laggards of one kind. The provider is the one from which the target must come.
record LaggardRemedy(Reason reason, String provider, Location location) {
  /// Where the process runs decides how it is mended.
  enum Location {
    HOST,
    POD
  }

  /// Names in one sentence; more are counted.
  private static final int MAX_NAMED = 5;

  private static final String IMAGE_HINT =
      "\nWhich image a pod runs: kubectl get pods -L keyfleet.version --all-namespaces";

  static LaggardRemedy of(Laggard laggard, String provider) {
    Location location =
        laggard.heartbeat().process().host().pod().isEmpty() ? Location.HOST : Location.POD;
    return new LaggardRemedy(laggard.reason(), provider, location);
  }

  /// One or two lines for a person.
  String text(KeyringName keyring, KekVersion target, List<Heartbeat> heartbeats) {
    String help =
        switch (reason) {
          case MISSING -> provisionText(keyring, target);
          case OTHER_PROVIDER ->
              "take %s from %s, as the keystore says, and from nowhere else"
                  .formatted(target, provider);
          case OTHER_BYTES ->
              "give %s the bytes that the rest of the fleet has (%s)".formatted(target, provider);
          case NOT_PROVED -> "wait two heartbeats, until " + target + " is proved there";
          case OLD_PROTOCOL -> "update keyfleet";
        };
    boolean isImage = location == Location.POD && reason != Reason.NOT_PROVED;
    return "On " + processNames(heartbeats) + ": " + help + (isImage ? IMAGE_HINT : "");
  }

  private String provisionText(KeyringName keyring, KekVersion target) {
    String ring = keyring.equals(KeyringName.MAIN) ? "" : keyring.toVariableForm() + "_";
    return switch (provider) {
      case "env" ->
          "set KEYFLEET_KEK_%sV%d and restart the process".formatted(ring, target.number());
      case "file", "simulated" ->
          "place %s.%s.key, mode 0600, into the key folder; no restart is needed"
              .formatted(keyring, target);
      case "pkcs11" ->
          "let its token hold keyfleet-%s-%s; keyfleet kek pkcs11-init --version=%d made it, once for all who share the token"
              .formatted(keyring, target, target.number());
      case "vault" ->
          "let its Transit key have version %d, not below min_decryption_version, and its token's policy allow it; bao write -f MOUNT/keys/KEY/rotate makes the next version, once for all"
              .formatted(target.number());
      case "awskms" ->
          "let its role use the KMS key that alias/keyfleet-%s-%s names, in the region that it is set to"
              .formatted(keyring, target);
      default -> "load %s from %s".formatted(target, provider);
    };
  }

  private static String processNames(List<Heartbeat> heartbeats) {
    String first =
        String.join(
            ", ",
            heartbeats.stream()
                .limit(MAX_NAMED)
                .map(LaggardRemedy::processName)
                .distinct()
                .toList());
    return heartbeats.size() > MAX_NAMED
        ? first + " and " + (heartbeats.size() - MAX_NAMED) + " more"
        : first;
  }

  private static String processName(Heartbeat heartbeat) {
    Heartbeat.Host host = heartbeat.process().host();
    String name = host.pod().isEmpty() ? host.name() : host.pod();
    return Console.sanitize(name.isEmpty() ? heartbeat.instance() : name);
  }
}
