package keyfleet.cli.kek;

import java.util.List;
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
import keyfleet.store.engine.EnvelopeScan;
import picocli.CommandLine.ParseResult;

/// `kek inventory`: counts the records of each registered collection by key version, and finds
/// envelopes in fields that are not registered.
public record KekInventoryCommand(CommandContext context) implements Command {
  private static final SettingSpec<Integer> SAMPLE =
      SettingSpec.ofFlag(
          "--sample",
          "N",
          "Search only N rows of each table for undeclared envelopes (default: all).",
          it -> it.toCount("rows; use 1 to 999999999", "1000"));

  @Override
  public CommandOptions options() {
    return CommandOptions.of(
            this,
            "Counts the records of each collection by key version.",
            "BELONGING counts records whose lowest version this is; CARRYING counts records with a"
                + " field that needs it.",
            "Then searches the store and the records for envelopes in fields that are not"
                + " registered, and lists what it did not search.",
            "Exit: 0 everything was counted and nothing is undeclared; 2 something was not counted,"
                + " not searched, unreadable, undeclared, of another keystore, or needs a version that"
                + " the fleet does not hold. A version field that differs from the envelopes is named"
                + " and changes no exit code: the envelopes decide.")
        .add(ConfigKeys.KEYRING, ConfigKeys.STORE, ConfigKeys.RECORDS, SAMPLE)
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    long rowLimit = SAMPLE.find(parsed).map(Integer::longValue).orElse(EnvelopeScan.Scope.ALL);
    try (CommandSession session = context.openSessionForReading(parsed)) {
      EnvelopeInventory inventory =
          EnvelopeInventory.take(session, context.effectiveConfig().get().collections(), rowLimit);
      format.print(context.console().out(), inventory::printTables, inventory::write);
      return report(session, inventory);
    }
  }

  private int report(CommandSession session, EnvelopeInventory inventory) {
    for (EnvelopeInventory.UncountedCollection item : inventory.notCounted()) {
      printLine(
          "not counted: " + EnvelopeInventory.title(item.registration()) + ": " + item.reason());
    }
    for (EnvelopeScanReport.UnscannedPart item : inventory.scanReport().unscannedParts()) {
      printLine(
          "not scanned: %s: %s: %s"
              .formatted(item.engine(), item.part().what(), item.part().reason()));
    }
    for (EnvelopeInventory.CountedCollection item : inventory.findMismatched()) {
      printLine(
          "%d records of %s have another version in %s than in their envelopes; the next rotation corrects it"
              .formatted(
                  item.census().mismatched(),
                  EnvelopeInventory.title(item.registration()),
                  item.registration().versionField().orElse("their version field")));
    }
    reportOtherKeystores(session, inventory);
    if (!inventory.unusable().isEmpty()) {
      inventory.unusable().forEach(it -> printLine(it.line()));
      throw UnusableRecords.failure(session.keyring(), inventory.unusable());
    }
    if (!inventory.notCounted().isEmpty()) {
      throw CommandException.conditionNotMet(
          "not all collections were counted",
          inventory.isMissingOnlyRegistrations()
              ? "start a worker, which registers the collections of its configuration: keyfleet"
                  + " server --roles worker"
              : "name the store that holds them with --records");
    }
    if (inventory.unreadable() > 0) {
      throw CommandException.conditionNotMet(
          inventory.unreadable() + " records have a field that is not an envelope",
          "repair or delete them, because it is unknown which key version they need");
    }
    if (!inventory.scanReport().undeclared().isEmpty()) {
      throw CommandException.conditionNotMet(
          inventory.scanReport().undeclared().size()
              + " fields hold envelopes but are not declared, so no rotation moves them",
          "declare the collection, its id and its sealed fields in keyfleet.yaml or in the process"
              + " that seals; convert base64 values to bytes first");
    }
    if (!inventory.scanReport().isComplete()) {
      throw CommandException.conditionNotMet(
          "some places could not be searched",
          "name with --records the same store with a user that may read everything");
    }
    return ExitCode.OK;
  }

  /// Records of collections that another keystore fenced: it was lost, or the records are from
  /// another fleet.
  private void reportOtherKeystores(CommandSession session, EnvelopeInventory inventory) {
    List<EnvelopeInventory.CountedCollection> others = inventory.collectionsOfOtherKeystores();
    if (others.isEmpty()) {
      return;
    }
    for (EnvelopeInventory.CountedCollection item : others) {
      printLine(
          "%d records of %s are of another keystore, which fenced the collection"
              .formatted(item.ofOtherKeystore(), EnvelopeInventory.title(item.registration())));
    }
    throw CommandException.conditionNotMet(
        "some records are of another keystore: its versions may have other keys under the same"
            + " numbers, so the fleet opens these records only if it has those keys",
        "keyfleet kek hold show" + KeyOptions.keyringFlag(session.keyring()));
  }

  private void printLine(String line) {
    context.console().printMessage(Console.sanitize(line));
  }
}
