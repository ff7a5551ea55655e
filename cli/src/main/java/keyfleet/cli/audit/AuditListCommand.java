package keyfleet.cli.audit;

import java.io.PrintStream;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.List;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.config.Setting;
import keyfleet.cli.config.SettingSpec;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.control.audit.AuditAction;
import keyfleet.control.audit.AuditChange;
import keyfleet.control.audit.AuditEntry;
import keyfleet.control.audit.AuditFilter;
import keyfleet.control.audit.AuditPage;
import keyfleet.control.audit.AuditReader;
import keyfleet.crypto.KeyringName;
import picocli.CommandLine.ParseResult;
import tools.jackson.core.JsonGenerator;

/// `audit list`: prints who did what to a keyring, when, and what it changed.
public record AuditListCommand(CommandContext context) implements Command {
  private static final int DATE_LENGTH = "2026-11-17".length();
  private static final SettingSpec<Long> LIMIT =
      SettingSpec.ofFlag(
          "--limit",
          "N",
          "The number of entries to list (default: 20, maximum: " + AuditReader.MAX_PAGE + ").",
          it -> it.toNumber(AuditReader.MAX_PAGE, "20"));
  private static final SettingSpec<String> BEFORE =
      SettingSpec.ofFlag("--before", "ENTRY", "List only entries before this one.", Setting::text);

  private static final SettingSpec<Instant> SINCE =
      SettingSpec.ofFlag(
          "--since",
          "TIME",
          "List only entries of this time or later: 2026-11-17 or 2026-11-17T22:00:00Z.",
          AuditListCommand::parseTime);
  private static final SettingSpec<Instant> UNTIL =
      SettingSpec.ofFlag(
          "--until", "TIME", "List only entries before this time.", AuditListCommand::parseTime);
  private static final SettingSpec<String> ACTOR =
      SettingSpec.ofFlag(
          "--actor", "TEXT", "List only entries with this text in the actor.", Setting::text);
  private static final SettingSpec<String> ACTION =
      SettingSpec.ofFlag(
          "--action",
          "TEXT",
          "List only entries with this text in the action or in the name of a change.",
          Setting::text);

  @Override
  public CommandOptions options() {
    return CommandOptions.of(
            this,
            "Lists who did what to a keyring, newest first.",
            "Each change is shown with its value before and after.",
            "Exit: 0 all listed entries are readable; 2 an entry is missing or damaged.")
        .add(ConfigKeys.KEYRING, ConfigKeys.STORE, LIMIT, BEFORE, SINCE, UNTIL, ACTOR, ACTION)
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    int limit = Math.toIntExact(LIMIT.find(parsed).orElse(20L));
    try (CommandSession session = context.openSessionForReading(parsed)) {
      AuditPage page = read(session, parsed, limit);
      if (page.entries().isEmpty() && page.unreadable().isEmpty()) {
        session.requireKeystore(); // throws if the keyring never existed
      }
      format.print(
          context.console().out(),
          out -> page.entries().forEach(it -> print(it, out)),
          json -> write(json.writeStringProperty("keyring", session.keyring().value()), page));
      return report(parsed, session.keyring(), page);
    }
  }

  /// A date is its first moment in UTC.
  private static Instant parseTime(Setting setting) {
    String text = setting.text();
    try {
      return text.length() == DATE_LENGTH
          ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
          : Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw setting.invalidValue(
          "a date or a time in UTC, such as 2026-11-17 or 2026-11-17T22:00:00Z", "2026-11-17");
    }
  }

  private static AuditFilter filter(ParseResult parsed) {
    return new AuditFilter(
        SINCE.find(parsed).orElse(Instant.MIN),
        UNTIL.find(parsed).orElse(Instant.MAX),
        ACTOR.find(parsed).orElse(""),
        ACTION.find(parsed).orElse(""));
  }

  /// The flags of the filter and the limit, for the command that lists the next page.
  private static String repeatFilter(ParseResult parsed) {
    StringBuilder flags = new StringBuilder();
    for (SettingSpec<?> spec : List.of(LIMIT, SINCE, UNTIL, ACTOR, ACTION)) {
      if (parsed.hasMatchedOption(spec.flag())) {
        String text = Console.sanitize(parsed.matchedOptionValue(spec.flag(), ""));
        flags.append(' ').append(spec.flag()).append('=').append(quote(text));
      }
    }
    return flags.toString();
  }

  private static String quote(String text) {
    return text.matches("[A-Za-z0-9._:/@-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }

  private static AuditPage read(CommandSession session, ParseResult parsed, int limit) {
    AuditReader reader = session.keyringStore().keystores().reader();
    AuditFilter filter = filter(parsed);
    return BEFORE
        .find(parsed)
        .map(id ->
            reader
                .before(id, limit, filter)
                .orElseThrow(() ->
                    CommandException.notFound(
                        "there is no audit entry " + Console.sanitize(id),
                        "keyfleet audit list" + KeyOptions.keyringFlag(session.keyring()))))
        .orElseGet(() -> reader.newest(limit, filter));
  }

  /// Reports unreadable entries as an error; otherwise how to list older entries.
  private int report(ParseResult parsed, KeyringName keyring, AuditPage page) {
    if (!page.unreadable().isEmpty()) {
      throw CommandException.conditionNotMet(
          "audit entries " + Console.sanitize(page.unreadable().toString()) + " cannot be read",
          "keyfleet audit verify" + KeyOptions.keyringFlag(keyring));
    }
    String next = page.nextBefore();
    if (next != null) {
      context
          .console()
          .printMessage(
              "older entries: keyfleet audit list --before="
                  + next
                  + KeyOptions.keyringFlag(keyring)
                  + repeatFilter(parsed));
    }
    return ExitCode.OK;
  }

  private static void print(AuditEntry entry, PrintStream out) {
    AuditAction action = entry.action();
    out.printf(
        "%s  %s  %s@%s (%s)  %s%n",
        entry.id(),
        action.date(),
        Console.sanitize(action.actor().user()),
        Console.sanitize(action.actor().host()),
        Console.sanitize(action.actor().instance()),
        Console.sanitize(action.summary()));
    entry.changes().forEach(it -> out.println("    " + Console.sanitize(it.text())));
  }

  private static void write(JsonGenerator json, AuditPage page) {
    json.writeArrayPropertyStart("entries");
    page.entries().forEach(it -> write(json, it));
    json.writeEndArray().writeArrayPropertyStart("unreadable");
    page.unreadable().forEach(json::writeString);
    json.writeEndArray();
    String next = page.nextBefore();
    if (next != null) {
      json.writeStringProperty("next_before", next);
    }
  }

  private static void write(JsonGenerator json, AuditEntry entry) {
    AuditAction action = entry.action();
    json.writeStartObject()
        .writeStringProperty("entry", entry.id())
        .writeNumberProperty("number", entry.number())
        .writeStringProperty("date", action.date().toString())
        .writeNumberProperty("store_time_ms", action.storeTime().millis())
        .writeStringProperty("user", action.actor().user())
        .writeStringProperty("host", action.actor().host())
        .writeStringProperty("instance", action.actor().instance())
        .writeStringProperty("what", action.summary())
        .writeStringProperty("rotation", action.rotation())
        .writeStringProperty("hash", entry.head().hash())
        .writeArrayPropertyStart("changes");
    for (AuditChange change : entry.changes()) {
      json.writeStartObject()
          .writeStringProperty("name", change.name())
          .writeStringProperty("before", change.before())
          .writeStringProperty("after", change.after())
          .writeEndObject();
    }
    json.writeEndArray().writeEndObject();
  }
}
