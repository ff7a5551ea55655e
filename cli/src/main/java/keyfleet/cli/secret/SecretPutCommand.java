package keyfleet.cli.secret;

import java.io.IOException;
import java.util.Arrays;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.command.StoreOptions;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.JsonOutput;
import keyfleet.cli.output.OutputFormat;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.KekVersion;
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
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// `secret put NAME`: seals what comes from standard input, and keeps it under a name.
public final class SecretPutCommand implements Command {
  /// Lost races before the user is told so.
  private static final int MAX_ATTEMPTS = 5;

  private final CommandContext context;

  public SecretPutCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = SecretName.addTo(CommandSpec.wrapWithoutInspection(this));
    KeyOptions.addTo(spec);
    StoreOptions.addWithRecords(spec).addOption(OutputFormat.option());
    spec.usageMessage()
        .description(
            "Keeps the bytes of standard input under a name, sealed; all of them, a line feed at"
                + " the end too. An earlier value is replaced.");
    return spec;
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
            session
                .secretOrders()
                .writePutIntent(
                    name.value(), SecretCollection.parseEnvelope(before).orElse(null), envelope));
        if (tryWrite(collection, name, before, envelope)) {
          return report(name, envelope.version(), before == null, format);
        }
      }
      throw CommandException.conflict(
          "others keep changing " + name, "keyfleet secret put " + name + ", again");
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
          "a value has at most " + Envelope.MAX_PLAINTEXT + " bytes", "keep it in parts");
    }
    return SecretBytes.copyOf(bytes);
  }

  /// False if another was faster, or the fence moved: then all is done anew.
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
      case RecordWriteResult.Fenced(Fence by) -> canRetryAfter(by, envelope.version());
      case Unknown() -> isStored(collection, name, fields);
    };
  }

  /// A rotation has fenced its old version since this value was sealed; the next try seals under
  /// the new one. A fence that admits the version and refuses it all the same is another matter.
  private static boolean canRetryAfter(Fence by, KekVersion version) {
    if (by.writable().contains(version)) {
      throw CommandException.conditionNotMet(
          "the store's fence refuses the record as it is", "keyfleet kek inventory");
    }
    return false;
  }

  /// Sealing is random: the same bytes are this command's own.
  private static boolean isStored(
      SecretCollection collection, SecretName name, SealedFields fields) {
    if (collection.read(name).filter(it -> it.fields().equals(fields)).isPresent()) {
      return true;
    }
    throw new CommandException(
        "the store did not answer in time: " + name + " may be kept, or may yet be",
        "keyfleet secret put " + name + ", again");
  }

  private int report(SecretName name, KekVersion version, boolean isNew, OutputFormat format) {
    if (format == OutputFormat.JSON) {
      JsonOutput.print(
          context.console().out(),
          json ->
              json.writeStringProperty("name", name.value())
                  .writeNumberProperty("kek_version", version.number())
                  .writeBooleanProperty("created", isNew));
    } else {
      context
          .console()
          .err()
          .println((isNew ? "kept " : "replaced ") + name + ", under " + version);
    }
    return ExitCode.OK;
  }
}
