package keyfleet.cli.kek;

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
import keyfleet.store.engine.EnvelopeScan;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// `kek inventory`: how many records of each registered collection are under which version, and
/// which envelopes lie where nobody declared them.
public final class KekInventoryCommand implements Command {
  private static final String SAMPLE = "--sample";

  private final CommandContext context;

  public KekInventoryCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = KeyOptions.addKeyring(CommandSpec.wrapWithoutInspection(this));
    StoreOptions.addWithRecords(spec).addOption(OutputFormat.option());
    spec.addOption(
        OptionSpec.builder(SAMPLE)
            .paramLabel("N")
            .type(String.class)
            .description(
                "Look for undeclared envelopes in N rows of each table only (default: in all).")
            .build());
    spec.usageMessage()
        .description(
            "Counts the records of every registered collection by version. BELONGING: it is the"
                + " record's lowest version; CARRYING: a field of the record needs it.",
            "Then looks through the store and the records for envelopes in fields that nobody"
                + " registered, and says what it did not look at.",
            "Exit: 0 all were counted, and there are no others; 2 a collection was not, or holds"
                + " what cannot be read; or there are undeclared envelopes, or might be.");
    return spec;
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    long rowLimit = rowLimit(parsed);
    try (CommandSession session = context.openSession(parsed)) {
      EnvelopeInventory inventory =
          EnvelopeInventory.take(session, context.effectiveConfig().get().collections(), rowLimit);
      switch (format) {
        case TABLE -> inventory.printTables(context.console().out());
        case JSON -> JsonOutput.print(context.console().out(), inventory::write);
      }
      return report(inventory);
    }
  }

  private static long rowLimit(ParseResult parsed) {
    if (!parsed.hasMatchedOption(SAMPLE)) {
      return EnvelopeScan.Scope.ALL;
    }
    String text = parsed.matchedOptionValue(SAMPLE, "");
    if (!text.matches("[1-9][0-9]{0,8}")) {
      throw new CommandException(
          "%s=%s is not a number of rows: 1 to 999999999 is"
              .formatted(SAMPLE, Console.sanitize(text)),
          SAMPLE + "=1000");
    }
    return Long.parseLong(text);
  }

  private int report(EnvelopeInventory inventory) {
    for (EnvelopeInventory.UncountedCollection item : inventory.notCounted()) {
      printLine(
          "not counted: " + EnvelopeInventory.title(item.registration()) + ": " + item.reason());
    }
    for (EnvelopeScanReport.UnscannedPart item : inventory.envelopeScanReport().unscannedPart()) {
      printLine(
          "not scanned: %s: %s: %s"
              .formatted(item.engine(), item.skippedPart().what(), item.skippedPart().reason()));
    }
    if (!inventory.notCounted().isEmpty()) {
      return reportUnmet(
          "not all collections were counted",
          inventory.isOnlyDeclared()
              ? "start a process with this configuration, which registers them"
              : "--records with the URL of those that are missing");
    }
    if (inventory.unreadable() > 0) {
      return reportUnmet(
          inventory.unreadable() + " records have a field that is no envelope",
          "mend or delete them: nobody can say which version they need");
    }
    if (!inventory.envelopeScanReport().undeclaredEnvelopes().isEmpty()) {
      return reportUnmet(
          inventory.envelopeScanReport().undeclaredEnvelopes().size()
              + " fields hold envelopes and are not declared: no rotation reaches them",
          "declare collection, id and sealed fields in keyfleet.yaml, or where the process joins"
              + " that seals them; base64 must become bytes first");
    }
    return inventory.envelopeScanReport().isComplete()
        ? ExitCode.OK
        : reportUnmet(
            "not all could be scanned",
            "the command again, with a URL and a user that can read it");
  }

  private void printLine(String line) {
    context.console().err().println(Console.sanitize(line));
  }

  private int reportUnmet(String message, String remedy) {
    context.console().printError(message, remedy);
    return ExitCode.CONDITION_NOT_MET;
  }
}
