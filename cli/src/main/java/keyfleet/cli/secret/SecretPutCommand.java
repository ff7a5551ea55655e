package keyfleet.cli.secret;

import java.io.IOException;
import java.util.Arrays;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.command.StoreOptions;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.SecretBytes;
import keyfleet.store.Bytes;
import keyfleet.store.Conflict;
import keyfleet.store.Fence;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;
import keyfleet.store.Unknown;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/// `secret put NAME`: seals standard input and stores it under a name.
public record SecretPutCommand(CommandContext context) implements Command {
  /// How often the command tries if other writers are faster.
  private static final int MAX_ATTEMPTS = 5;

  @Override
  public CommandOptions options() {
    return SecretName.addTo(
        CommandOptions.of(
                this,
                "Stores standard input as a sealed secret.",
                "Every byte is kept, also a line feed at the end. An earlier value is replaced.")
            .add(ConfigKeys.KEYRING, ConfigKeys.PROVIDERS, ConfigKeys.STORE, ConfigKeys.RECORDS)
            .outputFormat());
  }

  @Override
  public int run(ParseResult parsed) {
    SecretName name = SecretName.of(parsed);
    OutputFormat format = OutputFormat.of(parsed);
    StoreOptions.createDataFolder(parsed, context);
    try (SecretBytes value = readValue();
        CommandSession session = context.openSession(parsed)) {
      SecretCollection collection = SecretCollection.create(session);
      SecretSealer sealer = new SecretSealer(session, collection);
      for (int i = 0; i < MAX_ATTEMPTS; i++) {
        Envelope envelope = sealer.seal(SecretCollection.fieldLocation(name), value);
        StoredRecord before = collection.read(name).orElse(null);
        SecretCollection.requireAudited(
            session.keyring(),
            session
                .secretAuditWriter()
                .writePutIntent(
                    name.value(), SecretCollection.parseEnvelope(before).orElse(null), envelope));
        if (tryWrite(collection, name, before, envelope)) {
          return report(name, envelope.version(), before == null, format);
        }
      }
      throw CommandException.conflict(
          "other writers keep changing " + name, retryCommand(collection, name));
    }
  }

  private SecretBytes readValue() {
    try {
      byte[] bytes = context.console().in().readNBytes(Envelope.MAX_PLAINTEXT + 1);
      try {
        return requireValidSize(bytes);
      } finally {
        Arrays.fill(bytes, (byte) 0);
      }
    } catch (IOException e) {
      throw new CommandException(
          "standard input cannot be read", "keyfleet secret put NAME < FILE");
    }
  }

  private static SecretBytes requireValidSize(byte[] bytes) {
    if (bytes.length == 0) {
      throw new CommandException(
          "standard input holds no value", "keyfleet secret put NAME < FILE");
    }
    if (bytes.length > Envelope.MAX_PLAINTEXT) {
      throw new CommandException(
          "a value may have at most " + Envelope.MAX_PLAINTEXT + " bytes", "split the value");
    }
    return SecretBytes.copyOf(bytes);
  }

  /// Returns false if another writer was faster or the fence moved. The caller then tries again.
  private static boolean tryWrite(
      SecretCollection collection,
      SecretName name,
      @Nullable StoredRecord before,
      Envelope envelope) {
    SealedFields fields = SecretCollection.sealedFields(Bytes.copyOf(envelope.toBytes()));
    RecordWriteResult write =
        before == null
            ? collection.records().insert(new StoredRecord(SecretCollection.recordId(name), fields))
            : collection.records().compareAndSet(new RecordChange(before, fields));
    return switch (write) {
      case RecordWriteResult.Stored() -> true;
      case Conflict() -> false;
      case RecordWriteResult.Fenced(Fence by) -> checkFence(by, envelope.version());
      case Unknown() -> isStored(collection, name, fields);
    };
  }

  /// Returns false if a rotation has fenced the version since this value was sealed: the next
  /// attempt seals under the new version. Throws if the fence admits the version but refuses the
  /// record.
  private static boolean checkFence(Fence by, KekVersion version) {
    if (by.writable().contains(version)) {
      throw CommandException.conditionNotMet(
          "the store refuses the record, although its fence admits " + version,
          "keyfleet kek inventory");
    }
    return false;
  }

  /// Sealing is random, so a record with the same bytes was written by this command.
  private static boolean isStored(
      SecretCollection collection, SecretName name, SealedFields fields) {
    if (collection.read(name).filter(it -> it.fields().equals(fields)).isPresent()) {
      return true;
    }
    throw new CommandException(
        "the store did not answer in time: " + name + " may or may not be stored",
        retryCommand(collection, name));
  }

  private static String retryCommand(SecretCollection collection, SecretName name) {
    KeyringName keyring = collection.registration().keyring();
    return "keyfleet secret put " + name + KeyOptions.keyringFlag(keyring) + " < FILE";
  }

  private int report(SecretName name, KekVersion version, boolean isNew, OutputFormat format) {
    String done = (isNew ? "stored " : "replaced ") + name + ", sealed under " + version;
    format.print(
        context.console().out(),
        _ -> context.console().printMessage(done),
        json ->
            json.writeStringProperty("name", name.value())
                .writeNumberProperty("kek_version", version.number())
                .writeBooleanProperty("created", isNew));
    return ExitCode.OK;
  }
}
