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

/// The log of a process for its operator: one line per event, written in one piece. Any thread may
/// call it.
public final class EventLog {
  /// The format of a line.
  public enum Format {
    TEXT,
    JSON
  }

  /// The severity of an event.
  public enum Level {
    INFO,
    /// The process is degraded: it recovers by itself, or waits for a person.
    WARN,
    /// A person must look at it now.
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
