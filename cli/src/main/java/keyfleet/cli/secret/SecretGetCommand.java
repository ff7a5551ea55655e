package keyfleet.cli.secret;

import java.util.Arrays;
import java.util.Base64;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.NoSuchVersion;
import keyfleet.crypto.OpenResult;
import keyfleet.crypto.OpenResult.Opened;
import keyfleet.crypto.Refused;
import keyfleet.crypto.SecretAccess;
import keyfleet.crypto.SecretBytes;
import keyfleet.keyring.Keystore;
import keyfleet.store.StoredRecord;
import picocli.CommandLine.ParseResult;

/// `secret get NAME`: prints the value byte for byte, and nothing else.
public record SecretGetCommand(CommandContext context) implements Command {
  @Override
  public CommandOptions options() {
    return SecretName.addTo(
        CommandOptions.of(
                this,
                "Prints the value of a secret, and nothing else.",
                "With -o json the value is in base64.",
                "Exit: 0 printed; 6 no such secret; 1 this host cannot open it.")
            .add(ConfigKeys.KEYRING, ConfigKeys.PROVIDERS, ConfigKeys.STORE, ConfigKeys.RECORDS)
            .outputFormat());
  }

  @Override
  public int run(ParseResult parsed) {
    SecretName name = SecretName.of(parsed);
    OutputFormat format = OutputFormat.of(parsed);
    try (CommandSession session = context.openSessionForReading(parsed)) {
      StoredRecord record = SecretCollection.require(session, name);
      byte[] envelope =
          SecretCollection.envelopeBytes(record).map(it -> it.toArray()).orElse(new byte[0]);
      OpenResult openResult =
          session.keys().load().cipher().open(SecretCollection.fieldLocation(name), envelope);
      return switch (openResult) {
        case Opened(SecretBytes value, KekVersion version) -> print(name, value, version, format);
        case NoSuchVersion(KekVersion version) ->
            throw session
                .keys()
                .missing(
                    "%s is sealed under %s, which this host does not hold".formatted(name, version),
                    session.requireKeystore(),
                    version);
        case Refused() -> throw refusal(session, name, envelope);
      };
    }
  }

  /// If this host's key is the fleet's, the value was changed. Without a version it is no envelope.
  private static CommandException refusal(
      CommandSession session, SecretName name, byte[] envelope) {
    Keystore keystore = session.requireKeystore();
    Envelope.parseVersion(envelope)
        .filter(version -> keystore.versions().containsKey(version))
        .ifPresent(version -> session.keys().requireProved(keystore, version));
    return new CommandException(
        name + " cannot be opened: its stored value was changed",
        "restore it from a backup, or put it again; who changed it: keyfleet audit list"
            + KeyOptions.keyringFlag(session.keyring()));
  }

  private int print(SecretName name, SecretBytes value, KekVersion version, OutputFormat format) {
    byte[] bytes = value.reveal(SecretAccess.granted());
    value.close();
    format.print(
        context.console().out(),
        out -> out.writeBytes(bytes),
        json ->
            json.writeStringProperty("name", name.value())
                .writeNumberProperty("kek_version", version.number())
                .writeStringProperty("value", Base64.getEncoder().encodeToString(bytes)));
    context.console().out().flush();
    Arrays.fill(bytes, (byte) 0);
    return ExitCode.OK;
  }
}
