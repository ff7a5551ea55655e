package keyfleet.cli.secret;

import java.io.IOException;
import java.util.Arrays;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.cli.secret.SecretWriter.StoredSecret;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.SecretBytes;
import picocli.CommandLine.ParseResult;

/// `secret put NAME`: seals standard input and stores it under a name.
public record SecretPutCommand(CommandContext context) implements Command {
  private static final String MISSING_INPUT =
      "pipe the value into the command, for example with printf %s VALUE | in front of it";

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
    try (SecretBytes value = readValue();
        CommandSession session = context.openSession(parsed)) {
      return report(name, new SecretWriter(session).put(name, value), format);
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
      throw new CommandException("standard input cannot be read", MISSING_INPUT);
    }
  }

  private static SecretBytes requireValidSize(byte[] bytes) {
    if (bytes.length == 0) {
      throw new CommandException("standard input holds no value", MISSING_INPUT);
    }
    if (bytes.length > Envelope.MAX_PLAINTEXT) {
      throw new CommandException(
          "a value may have at most " + Envelope.MAX_PLAINTEXT + " bytes", "split the value");
    }
    return SecretBytes.copyOf(bytes);
  }

  private int report(SecretName name, StoredSecret stored, OutputFormat format) {
    String done =
        (stored.isNew() ? "stored " : "replaced ") + name + ", sealed under " + stored.version();
    format.print(
        context.console().out(),
        _ -> context.console().printMessage(done),
        json ->
            json.writeStringProperty("name", name.value())
                .writeNumberProperty("kek_version", stored.version().number())
                .writeBooleanProperty("created", stored.isNew()));
    return ExitCode.OK;
  }
}
