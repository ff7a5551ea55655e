package keyfleet.cli.audit;

import java.io.PrintStream;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.command.StoreOptions;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.JsonOutput;
import keyfleet.cli.output.OutputFormat;
import keyfleet.control.audit.AuditAction;
import keyfleet.control.audit.AuditChange;
import keyfleet.control.audit.AuditEntry;
import keyfleet.control.audit.AuditPage;
import keyfleet.control.audit.AuditReader;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.core.JsonGenerator;

/// `audit list`: who did what to a keyring, when, and what it changed.
public final class AuditListCommand implements Command {
  private static final String LIMIT = "--limit";
  private static final String BEFORE = "--before";
  private static final long DEFAULT_LIMIT = 20;

  private final CommandContext context;

  public AuditListCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = KeyOptions.addKeyring(CommandSpec.wrapWithoutInspection(this));
    StoreOptions.addTo(spec).addOption(OutputFormat.option());
    spec.addOption(
        number(
            LIMIT,
            "N",
            "At most so many entries (default: 20, most: %d).".formatted(AuditReader.MAX_PAGE)));
    spec.addOption(number(BEFORE, "NUMBER", "Only entries before this one."));
    spec.usageMessage()
        .description(
            "Lists who did what to a keyring, newest first, each change as before → after.",
            "Exit: 0 all of these can be read; 2 an entry is missing or damaged.");
    return spec;
  }

  private static OptionSpec number(String name, String label, String description) {
    return OptionSpec.builder(name)
        .paramLabel(label)
        .type(String.class)
        .description(description)
        .build();
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    int limit = Math.toIntExact(number(parsed, LIMIT, DEFAULT_LIMIT, AuditReader.MAX_PAGE));
    long before = number(parsed, BEFORE, Long.MAX_VALUE, Long.MAX_VALUE);
    try (CommandSession session = context.openSession(parsed)) {
      AuditPage page = session.keyringStore().audit().below(before, limit);
      if (page.entries().isEmpty() && page.unreadable().isEmpty() && page.isLast()) {
        session.requireKeystore(); // says so if there never was anything
      }
      switch (format) {
        case TABLE -> page.entries().forEach(this::print);
        case JSON ->
            JsonOutput.print(
                context.console().out(),
                json ->
                    write(json.writeStringProperty("keyring", session.keyring().value()), page));
      }
      return report(page);
    }
  }

  private static long number(ParseResult parsed, String option, long defaultNumber, long maximum) {
    if (!parsed.hasMatchedOption(option)) {
      return defaultNumber;
    }
    String text = parsed.matchedOptionValue(option, "");
    long number = text.matches("[0-9]{1,16}") ? Long.parseLong(text) : 0;
    if (number < 1 || number > maximum) {
      throw new CommandException(
          "%s=%s is not a number from 1%s"
              .formatted(
                  option,
                  Console.sanitize(text),
                  maximum == Long.MAX_VALUE ? " on" : " to " + maximum),
          option + "=" + DEFAULT_LIMIT);
    }
    return number;
  }

  /// What is unreadable is told apart from what is there; where older ones are, how to see them.
  private int report(AuditPage page) {
    if (!page.unreadable().isEmpty()) {
      context
          .console()
          .printError("cannot be read: entries " + page.unreadable(), "keyfleet audit verify");
      return ExitCode.CONDITION_NOT_MET;
    }
    if (!page.isLast()) {
      context
          .console()
          .err()
          .println("older ones: keyfleet audit list --before=" + page.lowestNumber());
    }
    return ExitCode.OK;
  }

  private void print(AuditEntry entry) {
    PrintStream out = context.console().out();
    AuditAction deed = entry.action();
    out.printf(
        "%d  %s  %s@%s (%s)  %s%n",
        entry.number(),
        deed.date(),
        Console.sanitize(deed.actor().user()),
        Console.sanitize(deed.actor().host()),
        Console.sanitize(deed.actor().instance()),
        Console.sanitize(deed.summary()));
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
    AuditAction deed = entry.action();
    json.writeStartObject()
        .writeNumberProperty("number", entry.number())
        .writeStringProperty("date", deed.date().toString())
        .writeNumberProperty("store_time_ms", deed.storeTime().millis())
        .writeStringProperty("user", deed.actor().user())
        .writeStringProperty("host", deed.actor().host())
        .writeStringProperty("instance", deed.actor().instance())
        .writeStringProperty("what", deed.summary())
        .writeStringProperty("rotation", deed.rotation())
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
