package keyfleet.cli.secret;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.JsonOutput;
import keyfleet.cli.output.OutputFormat;
import keyfleet.cli.secret.SecretLine.InvalidLineException;
import keyfleet.cli.secret.SecretWriter.StoredSecret;
import keyfleet.crypto.KeyfleetException;
import picocli.CommandLine.ParseResult;
import tools.jackson.core.JsonGenerator;

/// `secret import`: puts the secrets of standard input, one JSON object a line.
public record SecretImportCommand(CommandContext context) implements Command {
  /// Lines that share one audit entry.
  static final int BATCH_LINES = 32;

  private static final int BATCH_BYTES = 4 << 20;

  /// Room for a value of the largest size, of which some characters are escaped.
  private static final int MAX_LINE = 16 << 20;

  private record WrittenLine(long line, String name, StoredSecret stored) {}

  private record FailedLine(long line, String reason) {}

  @Override
  public CommandOptions options() {
    return CommandOptions.of(
            this,
            "Stores many secrets: one JSON object {\"name\":…,\"value\":…} a line on standard input.",
            "Prints the names that were stored. Lines that fail are named by number; the others are"
                + " stored all the same.",
            "Exit: 0 all lines were stored; 1 a line was not.")
        .add(ConfigKeys.KEYRING, ConfigKeys.PROVIDERS, ConfigKeys.STORE, ConfigKeys.RECORDS)
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    try (CommandSession session = context.openSession(parsed);
        Import running = new Import(new SecretWriter(session), format)) {
      return running.run();
    }
  }

  /// One run of the command.
  private final class Import implements AutoCloseable {
    private final SecretWriter writer;
    private final OutputFormat format;
    private final List<SecretLine> batch = new ArrayList<>();
    private final List<WrittenLine> written = new ArrayList<>();
    private final List<FailedLine> failed = new ArrayList<>();
    private long batchBytes;

    private Import(SecretWriter writer, OutputFormat format) {
      this.writer = writer;
      this.format = format;
    }

    int run() {
      try {
        readLines();
        flush();
      } catch (KeyfleetException e) {
        batch.forEach(it -> addFailure(it.number(), "it may or may not be stored"));
        report();
        throw e;
      }
      report();
      return failed.isEmpty() ? ExitCode.OK : ExitCode.ERROR;
    }

    private void readLines() {
      byte[] line = new byte[8192];
      int length = 0;
      long number = 1;
      try (InputStream in = context.console().in()) {
        for (int next = in.read(); next >= 0; next = in.read()) {
          if (next == '\n') {
            addLine(number++, line, length);
            length = 0;
          } else if (length < MAX_LINE) {
            line = length < line.length ? line : grow(line);
            line[length++] = (byte) next;
          } else {
            length = MAX_LINE + 1;
          }
        }
        addLine(number, line, length);
      } catch (IOException e) {
        throw new CommandException(
            "standard input cannot be read", "check the input, and run the same command again");
      } finally {
        Arrays.fill(line, (byte) 0);
      }
    }

    private static byte[] grow(byte[] line) {
      byte[] longer = Arrays.copyOf(line, 2 * line.length);
      Arrays.fill(line, (byte) 0);
      return longer;
    }

    private void addLine(long number, byte[] line, int length) {
      if (length > MAX_LINE) {
        addFailure(number, "it has more than " + MAX_LINE + " bytes");
        return;
      }
      if (isBlank(line, length)) {
        return;
      }
      try {
        batch.add(SecretLine.parse(number, line, length));
        batchBytes += length;
        if (batch.size() == BATCH_LINES || batchBytes >= BATCH_BYTES) {
          flush();
        }
      } catch (InvalidLineException e) {
        addFailure(number, e.reason());
      }
    }

    private static boolean isBlank(byte[] line, int length) {
      for (int i = 0; i < length; i++) {
        if (line[i] != ' ' && line[i] != '\r' && line[i] != '\t') {
          return false;
        }
      }
      return true;
    }

    private void flush() {
      if (!batch.isEmpty()) {
        writer.putAll(
            List.copyOf(batch),
            (line, stored) -> {
              addWritten(line, stored);
              remove(line);
            },
            (line, reason) -> {
              addFailure(line.number(), reason);
              remove(line);
            });
      }
      batchBytes = 0;
    }

    private void remove(SecretLine line) {
      batch.remove(line);
      line.close();
    }

    private void addWritten(SecretLine line, StoredSecret stored) {
      written.add(new WrittenLine(line.number(), line.name().value(), stored));
      if (format == OutputFormat.TABLE) {
        context.console().out().println(line.name());
      }
    }

    private void addFailure(long line, String reason) {
      failed.add(new FailedLine(line, reason));
      context.console().printMessage("line " + line + " failed: " + reason);
    }

    private void report() {
      context
          .console()
          .printMessage("%d stored, %d failed".formatted(written.size(), failed.size()));
      if (format == OutputFormat.JSON) {
        JsonOutput.print(context.console().out(), this::write);
      }
    }

    private void write(JsonGenerator json) {
      json.writeArrayPropertyStart("written");
      written.forEach(it ->
          json.writeStartObject()
              .writeNumberProperty("line", it.line())
              .writeStringProperty("name", it.name())
              .writeNumberProperty("kek_version", it.stored().version().number())
              .writeBooleanProperty("created", it.stored().isNew())
              .writeEndObject());
      json.writeEndArray().writeArrayPropertyStart("failed");
      failed.forEach(it ->
          json.writeStartObject()
              .writeNumberProperty("line", it.line())
              .writeStringProperty("reason", it.reason())
              .writeEndObject());
      json.writeEndArray();
    }

    @Override
    public void close() {
      batch.forEach(SecretLine::close);
    }
  }
}
