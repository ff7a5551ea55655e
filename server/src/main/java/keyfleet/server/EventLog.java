package keyfleet.server;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import keyfleet.crypto.KeyringName;
import keyfleet.member.process.ProcessEvent;
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

  private static final JsonFactory JSON_FACTORY = new JsonFactory();

  private final PrintStream out;
  private final Format format;
  private final InstantSource wallClock;
  private final String instance;
  private final String keyring;
  private final String linePrefix;
  private final boolean hasDebugEvents;

  public EventLog(
      PrintStream out, Format format, InstantSource wallClock, String instance, String keyring) {
    this(out, format, wallClock, instance, keyring, "", false);
  }

  private EventLog(
      PrintStream out,
      Format format,
      InstantSource wallClock,
      String instance,
      String keyring,
      String linePrefix,
      boolean hasDebugEvents) {
    this.linePrefix = linePrefix;
    this.hasDebugEvents = hasDebugEvents;
    this.out = out;
    this.format = format;
    this.wallClock = wallClock;
    this.instance = instance;
    this.keyring = keyring;
  }

  /// The same log with events of [ProcessEvent.Severity#DEBUG].
  public EventLog withDebugEvents() {
    return new EventLog(out, format, wallClock, instance, keyring, linePrefix, true);
  }

  /// The same log for the events of one of several keyrings; each line names it.
  EventLog forKeyring(KeyringName name) {
    return new EventLog(
        out, format, wallClock, instance, name.value(), "keyring " + name + ": ", hasDebugEvents);
  }

  public void info(String message) {
    write(ProcessEvent.info(message));
  }

  public void warn(String message) {
    write(ProcessEvent.warning(message));
  }

  public void write(ProcessEvent event) {
    if (event.severity() == ProcessEvent.Severity.DEBUG && !hasDebugEvents) {
      return;
    }
    Instant now = wallClock.instant().truncatedTo(ChronoUnit.MILLIS);
    String line =
        switch (format) {
          case TEXT ->
              "%s %-5s %s"
                  .formatted(now, event.severity(), linePrefix + PrintableText.of(event.message()));
          case JSON -> toJson(now, event);
        };
    out.println(line);
    out.flush();
  }

  private String toJson(Instant now, ProcessEvent event) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON_FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
      json.writeStartObject()
          .writeStringProperty("ts", now.toString())
          .writeStringProperty("level", event.severity().name().toLowerCase(Locale.ROOT))
          .writeStringProperty("msg", event.message())
          .writeStringProperty("instance", instance)
          .writeStringProperty("keyring", keyring)
          .writeEndObject();
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
