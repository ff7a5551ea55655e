package keyfleet.cli.kek;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.kek.EnvelopeInventory.CountedCollection;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.EnumText;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.VersionState;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/// Records of a collection that need a version which the fleet cannot open them with.
record UnusableRecords(
    CollectionRegistration registration, KekVersion version, long count, Cause cause) {
  /// Why the fleet cannot open them.
  enum Cause {
    DISABLED,
    /// Disabled for good.
    REVOKED,
    WITHDRAWN,
    DESTROYED,
    UNKNOWN,
    /// Processes run, and none has loaded the key.
    HELD_BY_NO_PROCESS
  }

  /// Those of the counted collections. Without a fresh process nothing is said about who holds a
  /// key.
  static List<UnusableRecords> find(
      CommandSession session, Keystore keystore, List<CountedCollection> counted) {
    List<Heartbeat> fresh =
        session.keyringStore().readRoster(keystore.timings()).fresh(keystore.timings().fresh());
    Set<KekVersion> loaded =
        fresh.stream()
            .flatMap(it -> it.loadedVersions().keySet().stream())
            .collect(Collectors.toSet());
    List<UnusableRecords> found = new ArrayList<>();
    for (CountedCollection collection : counted) {
      if (collection.isOfOtherKeystore()) {
        continue; // its numbers say nothing about the versions of this keystore
      }
      collection
          .census()
          .carrying()
          .forEach((version, count) -> {
            boolean isHeld = fresh.isEmpty() || loaded.contains(version);
            Cause cause = causeOf(keystore, version);
            if (count > 0 && (cause != null || !isHeld)) {
              found.add(
                  new UnusableRecords(
                      collection.registration(),
                      version,
                      count,
                      cause == null ? Cause.HELD_BY_NO_PROCESS : cause));
            }
          });
    }
    return found;
  }

  /// Null if processes are expected to hold the key.
  private static @Nullable Cause causeOf(Keystore keystore, KekVersion version) {
    VersionState state = keystore.stateOf(version).orElse(null);
    return switch (state) {
      case null -> Cause.UNKNOWN;
      // After a hold was resolved, records may need a version that was only announced again.
      case ANNOUNCED, STAGED, ACTIVE, DECRYPT_ONLY -> null;
      case DISABLED -> keystore.isCompromised(version) ? Cause.REVOKED : Cause.DISABLED;
      case WITHDRAWN -> Cause.WITHDRAWN;
      case DESTROYING, DESTROYED -> Cause.DESTROYED;
    };
  }

  String line() {
    return "%d records of %s need %s, which %s"
        .formatted(count, EnvelopeInventory.title(registration), version, reason());
  }

  private String reason() {
    return switch (cause) {
      case DISABLED -> "is disabled";
      case REVOKED -> "was revoked";
      case WITHDRAWN -> "was withdrawn";
      case DESTROYED -> "is destroyed";
      case UNKNOWN -> "is unknown";
      case HELD_BY_NO_PROCESS -> "no process has loaded";
    };
  }

  /// The end of a command that found such records.
  static CommandException failure(KeyringName keyring, List<UnusableRecords> found) {
    return CommandException.conditionNotMet(
        "some records need a version that the fleet does not hold",
        found.getFirst().remedy(KeyOptions.keyringFlag(keyring)));
  }

  private String remedy(String keyringFlag) {
    return switch (cause) {
      case DISABLED ->
          "keyfleet kek remove --version=%d --undo%s".formatted(version.number(), keyringFlag);
      case HELD_BY_NO_PROCESS ->
          "keyfleet kek verify --target=%d%s".formatted(version.number(), keyringFlag);
      case REVOKED, WITHDRAWN, DESTROYED, UNKNOWN ->
          "restore the keystore or the records from a backup, or delete the records: only the key of "
              + version
              + " opens them";
    };
  }

  void write(JsonGenerator json) {
    json.writeStartObject()
        .writeStringProperty("engine", registration.engine())
        .writeStringProperty("collection", registration.collection())
        .writeNumberProperty("version", version.number())
        .writeNumberProperty("records", count)
        .writeStringProperty("reason", EnumText.toSnakeCase(cause))
        .writeEndObject();
  }
}
