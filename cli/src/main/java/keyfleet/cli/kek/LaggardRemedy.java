package keyfleet.cli.kek;

import java.util.List;
import keyfleet.cli.output.Console;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.ReadinessGate.Laggard;
import keyfleet.keyring.ReadinessGate.Reason;
import keyfleet.member.MissingKeyRemedy;

/// What to do about laggards with the same reason.
///
/// @param provider the provider that must supply the target version
/// @param location where the process runs, which decides how it is fixed
/// @param keyFolder the folder in which its keys are placed; empty if it has none
record LaggardRemedy(Reason reason, String provider, Location location, String keyFolder) {
  enum Location {
    HOST,
    POD
  }

  /// The most processes to name; further ones are only counted.
  private static final int MAX_NAMED = 5;

  private static final String IMAGE_HINT =
      "\nWhich image a pod runs: kubectl get pods -L keyfleet.version --all-namespaces";

  static LaggardRemedy of(Laggard laggard, String provider) {
    Location location =
        laggard.heartbeat().process().host().pod().isEmpty() ? Location.HOST : Location.POD;
    return new LaggardRemedy(
        laggard.reason(), provider, location, Console.sanitize(laggard.heartbeat().keyFolder()));
  }

  /// The remedy as one or two lines of text.
  String text(KeyringName keyring, KekVersion target, List<Heartbeat> heartbeats) {
    String help =
        switch (reason) {
          case MISSING -> MissingKeyRemedy.forOtherProcess(provider, keyring, target, keyFolder);
          case OTHER_PROVIDER ->
              "load %s only from %s, the provider in the keystore".formatted(target, provider);
          case OTHER_BYTES -> MissingKeyRemedy.forOtherBytes(provider, keyring, target, keyFolder);
          case NOT_PROVED -> "wait two heartbeats, until the process has proved " + target;
          case OLD_PROTOCOL -> "update keyfleet";
        };
    boolean isImage = location == Location.POD && reason != Reason.NOT_PROVED;
    return "On " + processNames(heartbeats) + ": " + help + (isImage ? IMAGE_HINT : "");
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
    if (!new ProcessLine(heartbeat).instanceSuffix().isEmpty()) {
      return Console.sanitize(heartbeat.instance());
    }
    String name = host.pod().isEmpty() ? host.name() : host.pod();
    return Console.sanitize(name.isEmpty() ? heartbeat.instance() : name);
  }
}
