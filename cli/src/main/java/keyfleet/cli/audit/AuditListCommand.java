package keyfleet.cli.audit;

import java.io.PrintStream;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.config.SettingSpec;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.control.audit.AuditAction;
import keyfleet.control.audit.AuditChange;
import keyfleet.control.audit.AuditEntry;
import keyfleet.control.audit.AuditPage;
import keyfleet.control.audit.AuditReader;
import keyfleet.crypto.KeyringName;
import picocli.CommandLine.ParseResult;
import tools.jackson.core.JsonGenerator;

/// `audit list`: prints who did what to a keyring, when, and what it changed.
public record AuditListCommand(CommandContext context) implements Command {
  private static final SettingSpec<Long> LIMIT =
      SettingSpec.ofFlag(
          "--limit",
          "N",
          "The number of entries to list (default: 20, maximum: " + AuditReader.MAX_PAGE + ").",
          it -> it.toNumber(AuditReader.MAX_PAGE, "20"));
  private static final SettingSpec<Long> BEFORE =
      SettingSpec.ofFlag(
          "--before",
          "NUMBER",
          "List only entries before this one.",
          it -> it.toNumber(Long.MAX_VALUE, "20"));

  @Override
  public CommandOptions options() {
    return CommandOptions.of(
            this,
            "Lists who did what to a keyring, newest first.",
            "Each change is shown with its value before and after.",
            "Exit: 0 all listed entries are readable; 2 an entry is missing or damaged.")
        .add(ConfigKeys.KEYRING, ConfigKeys.STORE, LIMIT, BEFORE)
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    int limit = Math.toIntExact(LIMIT.find(parsed).orElse(20L));
    long before = BEFORE.find(parsed).orElse(Long.MAX_VALUE);
    try (CommandSession session = context.openSessionForReading(parsed)) {
      AuditPage page = session.keyringStore().keystores().reader().below(before, limit);
      if (page.entries().isEmpty() && page.unreadable().isEmpty() && page.isLast()) {
        session.requireKeystore(); // throws if the keyring never existed
      }
      format.print(
          context.console().out(),
          out -> page.entries().forEach(it -> print(it, out)),
          json -> write(json.writeStringProperty("keyring", session.keyring().value()), page));
      return report(session.keyring(), page);
    }
  }

  /// Reports unreadable entries as an error; otherwise how to list older entries.
  private int report(KeyringName keyring, AuditPage page) {
    if (!page.unreadable().isEmpty()) {
      throw CommandException.conditionNotMet(
          "audit entries " + page.unreadable() + " cannot be read",
          "keyfleet audit verify" + KeyOptions.keyringFlag(keyring));
    }
    if (!page.isLast()) {
      context
          .console()
          .printMessage(
              "older entries: keyfleet audit list --before="
                  + page.lowestNumber()
                  + KeyOptions.keyringFlag(keyring));
    }
    return ExitCode.OK;
  }

  private static void print(AuditEntry entry, PrintStream out) {
    AuditAction action = entry.action();
    out.printf(
        "%d  %s  %s@%s (%s)  %s%n",
        entry.number(),
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
    page.unreadable().forEach(json::writeNumber);
    json.writeEndArray();
    if (!page.isLast()) {
      json.writeNumberProperty("next_before", page.lowestNumber());
    }
  }

  private static void write(JsonGenerator json, AuditEntry entry) {
    AuditAction action = entry.action();
    json.writeStartObject()
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
