package keyfleet.server;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import keyfleet.store.host.PrintableText;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/// What happens to a process, for who runs it: one line an event, written whole. For any thread.
public final class EventLog {
  /// How a line looks.
  public enum Format {
    TEXT,
    JSON
  }

  /// How much an event matters.
  public enum Level {
    INFO,
    /// Something is missing, and mends itself or waits for a person.
    WARN,
    /// Somebody should look now.
    ERROR
  }

  private static final JsonFactory JSON_FACTORY = new JsonFactory();

  private final PrintStream out;
  private final Format format;
  private final InstantSource wallClock;
  private final String instance;
  private final String keyring;

  public EventLog(
      PrintStream out, Format format, InstantSource wallClock, String instance, String keyring) {
    this.out = out;
    this.format = format;
    this.wallClock = wallClock;
    this.instance = instance;
    this.keyring = keyring;
  }

  public void info(String message) {
    write(Level.INFO, message);
  }

  public void warn(String message) {
    write(Level.WARN, message);
  }

  public void error(String message) {
    write(Level.ERROR, message);
  }

  void write(Level level, String message) {
    Instant now = wallClock.instant().truncatedTo(ChronoUnit.MILLIS);
    String line =
        switch (format) {
          case TEXT -> "%s %-5s %s".formatted(now, level, PrintableText.of(message));
          case JSON -> toJson(now, level, message);
        };
    out.println(line);
    out.flush();
  }

  private String toJson(Instant now, Level level, String message) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON_FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
      json.writeStartObject()
          .writeStringProperty("ts", now.toString())
          .writeStringProperty("level", level.name().toLowerCase(Locale.ROOT))
          .writeStringProperty("msg", message)
          .writeStringProperty("instance", instance)
          .writeStringProperty("keyring", keyring)
          .writeEndObject();
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
