package keyfleet.cli.kek;

import java.util.Map;
import java.util.Optional;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.command.OperationReport;
import keyfleet.cli.command.StoreOptions;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.EnumText;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.control.rotation.KeyringOperations.Contended;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.KeyringOperations.Result;
import keyfleet.control.rotation.KeyringOperations.Unchanged;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Keystore.Use;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionState;
import keyfleet.member.LocalProcess;
import keyfleet.member.ProcessSettings;
import picocli.CommandLine.ParseResult;

/// `kek announce`: registers a key version of this host with the fleet. The first version creates
/// the keyring.
public record KekAnnounceCommand(CommandContext context) implements Command {
  private static final String USE = "--use";
  private static final KeyringName PLUGIN_KEYRING = new KeyringName("kms");

  @Override
  public CommandOptions options() {
    return CommandOptions.of(
            this,
            "Registers a new key version with the fleet.",
            "This host must have the key; other processes may load it later.",
            "On an empty keyring, version 1 becomes active, with the timings of KEYFLEET_TIMING_….")
        .add(ConfigKeys.KEYRING, ConfigKeys.PROVIDERS, ConfigKeys.STORE, ConfigKeys.RECORDS)
        .required(KeyOptions.VERSION, "N", "The version to announce.")
        .text(
            USE,
            "USE",
            "On an empty keyring: records (default), or kms for a Kubernetes plugin, whose keyring"
                + " is kms unless --keyring says otherwise.")
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    KekVersion version = KeyOptions.version(parsed);
    OutputFormat format = OutputFormat.of(parsed);
    Use use = parseUse(parsed);
    Timings timings = configuredTimings(context.runtime().get().environment());
    KeyringName defaultKeyring = use == Use.KMS ? PLUGIN_KEYRING : KeyringName.MAIN;
    KeyringName keyring = KeyOptions.keyring(parsed, context.runtime().get(), defaultKeyring);
    StoreOptions.createDataFolder(parsed, context);
    try (CommandSession session = CommandSession.open(parsed, keyring, context)) {
      session.keys().requireHeld(version);
      Keystore before = session.findKeystore().orElse(null);
      if (before == null) {
        requireReachableCollections(session);
      } else if (parsed.hasMatchedOption(USE) && before.identity().use() != use) {
        throw new CommandException(
            "keyring "
                + session.keyring()
                + " is for "
                + EnumText.toKebabCase(before.identity().use())
                + ", and the use of a keyring never changes",
            "name another keyring with --keyring");
      }
      Result result =
          before != null && before.versions().containsKey(version)
              ? confirmAnnounced(session, before, version)
              : announce(session, version, use, timings);
      return report(session, version, result, format);
    }
  }

  /// Another process may announce the same version at the same time.
  private static Result announce(
      CommandSession session, KekVersion version, Use use, Timings timings) {
    Result result =
        session.keyringOperations(session.keys().load()).announce(version, use, timings);
    return result instanceof Refused
        ? session
            .findKeystore()
            .filter(it -> it.versions().containsKey(version))
            .map(it -> confirmAnnounced(session, it, version))
            .orElse(result)
        : result;
  }

  /// The timings that these variables set, else the defaults. A process refuses to join a fleet
  /// whose timings differ from its variables.
  private static Timings configuredTimings(Map<String, String> environment) {
    Timings configured = ProcessSettings.of(environment, LocalProcess.current()).timings();
    return configured == null ? Timings.DEFAULT : configured;
  }

  private static Use parseUse(ParseResult parsed) {
    String name = parsed.matchedOptionValue(USE, "records");
    return switch (name) {
      case "records" -> Use.RECORDS;
      case "kms" -> Use.KMS;
      default ->
          throw new CommandException(
              USE + "=" + name + " is neither records nor kms", USE + "=records");
    };
  }

  /// If a keystore was lost, its collections still have fences. A new keystore must start above
  /// these fences, so this command must be able to read every registered collection.
  private static void requireReachableCollections(CommandSession session) {
    for (CollectionRegistration registration :
        session.collectionRegistry().registrations(session.keyring())) {
      if (session.storeConnections().findRecords(registration).isEmpty()) {
        throw new CommandException(
            "keyring %s has records in %s %s, which this command cannot reach"
                .formatted(session.keyring(), registration.engine(), registration.collection()),
            "name that store with --records");
      }
    }
  }

  /// Announcing a known version again succeeds if this host has the same key, unless the version
  /// was withdrawn.
  private static Result confirmAnnounced(
      CommandSession session, Keystore keystore, KekVersion version) {
    if (keystore.stateOf(version).equals(Optional.of(VersionState.WITHDRAWN))) {
      return new Refused("it was withdrawn, and its number is never used again");
    }
    session.keys().requireProved(keystore, version);
    return new Unchanged(keystore);
  }

  private int report(
      CommandSession session, KekVersion version, Result result, OutputFormat format) {
    KeyringName keyring = session.keyring();
    Keystore keystore =
        switch (result) {
          case Done(Keystore after) -> after;
          case Unchanged(Keystore same) -> same;
          case Contended _ -> throw OperationReport.contended(keyring);
          case Refused refused ->
              throw CommandException.conditionNotMet(
                  version + " is not announced: " + refused.reason(),
                  session.remedyOfRefusal("keyfleet kek list" + KeyOptions.keyringFlag(keyring)));
        };
    VersionState state = keystore.stateOf(version).orElse(VersionState.ANNOUNCED);
    String already = result instanceof Done ? "" : "already ";
    format.print(
        context.console().out(),
        _ ->
            context
                .console()
                .printMessage(
                    "%s %s is %s%s"
                        .formatted(keyring, version, already, EnumText.toKebabCase(state))),
        json ->
            json.writeStringProperty("keyring", keyring.value())
                .writeNumberProperty("version", version.number())
                .writeStringProperty("state", EnumText.toSnakeCase(state))
                .writeBooleanProperty("changed", result instanceof Done));
    return ExitCode.OK;
  }
}
