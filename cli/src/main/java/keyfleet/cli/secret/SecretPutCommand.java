package keyfleet.cli.secret;

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
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

/// `secret put NAME`: seals standard input, or a line that a person types, and stores it under a
/// name.
public record SecretPutCommand(CommandContext context) implements Command {
  private static final String MISSING_INPUT =
      "pipe the value into the command, for example with printf %s VALUE | in front of it";

  @Override
  public CommandOptions options() {
    return SecretName.addTo(
        CommandOptions.of(
                this,
                "Stores standard input as a sealed secret.",
                "Every byte is kept, also a line feed at the end. An earlier value is replaced.",
                "On a terminal it asks for one line, which is not shown; its end is not kept.")
            .add(ConfigKeys.KEYRING, ConfigKeys.PROVIDERS, ConfigKeys.STORE, ConfigKeys.RECORDS)
            .outputFormat());
  }

  @Override
  public int run(ParseResult parsed) {
    SecretName name = SecretName.of(parsed);
    OutputFormat format = OutputFormat.of(parsed);
    try (SecretBytes value = readValue(name);
        CommandSession session = context.openSession(parsed)) {
      return report(name, new SecretWriter(session).put(name, value), format);
    }
  }

  /// At a terminal a person types the value, and no one sees it. Otherwise every byte of standard
  /// input is the value.
  private SecretBytes readValue(SecretName name) {
    Optional<SecretBytes> typed =
        context.console().hiddenInput().read("Value of %s (not shown):".formatted(name));
    if (typed.isPresent()) {
      return requireTyped(typed.get());
    }
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

  private static SecretBytes requireTyped(SecretBytes typed) {
    if (typed.length() > 0) {
      return typed;
    }
    typed.close();
    throw new CommandException("no value was typed", "keyfleet secret put NAME < FILE");
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
