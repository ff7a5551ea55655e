package keyfleet.cli.audit;

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
import keyfleet.cli.output.JsonOutput;
import keyfleet.cli.output.OutputFormat;
import keyfleet.control.audit.AuditHead;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.control.audit.AuditVerdict.Broken;
import keyfleet.control.audit.AuditVerdict.Intact;
import keyfleet.control.audit.AuditVerdict.Unsettled;
import keyfleet.crypto.KeyringName;
import keyfleet.store.MalformedValueException;
import picocli.CommandLine.ParseResult;
import tools.jackson.core.JsonGenerator;

/// `audit verify`: checks that the audit of a keyring is complete and ends at the current keystore.
public record AuditVerifyCommand(CommandContext context) implements Command {
  private static final SettingSpec<AuditHead> NOTED =
      SettingSpec.ofFlag(
          "--noted",
          "NUMBER:HASH",
          "A head printed earlier; the audit must contain it.",
          AuditVerifyCommand::parseHead);

  @Override
  public CommandOptions options() {
    return CommandOptions.of(
            this,
            "Verifies the audit chain of a keyring and prints its head.",
            "Keep the head outside the store, and pass it with --noted later: nothing else reveals"
                + " that the whole store was restored to an earlier state.",
            "Exit: 0 intact; 2 broken, or the keyring kept changing.")
        .add(ConfigKeys.KEYRING, ConfigKeys.STORE, NOTED)
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    AuditHead notedHead = NOTED.find(parsed).orElse(AuditHead.NONE);
    try (CommandSession session = context.openSessionForReading(parsed)) {
      AuditVerdict verdict = verify(session, notedHead);
      if (verdict.equals(new Intact(AuditHead.NONE, List.of()))) {
        session.requireKeystore(); // throws if there is no keystore
      }
      if (format == OutputFormat.JSON) {
        JsonOutput.print(
            context.console().out(),
            json -> write(json.writeStringProperty("keyring", session.keyring().value()), verdict));
      }
      return report(session.keyring(), verdict, format);
    }
  }

  private static AuditHead parseHead(Setting setting) {
    return AuditHead.parse(setting.text())
        .orElseThrow(() ->
            new CommandException(
                NOTED.flag()
                    + "="
                    + Console.sanitize(setting.text())
                    + " is not an audit head; use NUMBER:HASH with 64 hex digits",
                "keyfleet audit verify"));
  }

  /// If the keystore cannot be read, the end of its audit is unknown, so the audit counts as
  /// broken.
  private static AuditVerdict verify(CommandSession session, AuditHead notedHead) {
    try {
      return session.keyringStore().keystores().reader().verify(notedHead);
    } catch (MalformedValueException e) {
      return new Broken("1", "the keystore cannot be read: " + e.getMessage());
    }
  }

  private int report(KeyringName keyring, AuditVerdict verdict, OutputFormat format) {
    return switch (verdict) {
      case Intact(AuditHead head, var untied) -> {
        if (format == OutputFormat.TABLE) {
          context.console().out().println(head);
        }
        if (!untied.isEmpty()) {
          context
              .console()
              .printMessage(
                  "the newest entries of %d writers are not tied to the keystore yet; the next change ties them"
                      .formatted(untied.size()));
        }
        yield ExitCode.OK;
      }
      case Broken(String entry, String reason) ->
          throw CommandException.conditionNotMet(
              "the audit is broken at entry %s: %s"
                  .formatted(Console.sanitize(entry), Console.sanitize(reason)),
              "keyfleet audit list" + KeyOptions.keyringFlag(keyring));
      case Unsettled() ->
          throw CommandException.conditionNotMet(
              "the keystore changed during each attempt to verify its audit",
              "run the same command again, when the keyring changes less often");
    };
  }

  private static void write(JsonGenerator json, AuditVerdict verdict) {
    switch (verdict) {
      case Intact(AuditHead head, var untied) ->
          json.writeStringProperty("verdict", "intact")
              .writeStringProperty("head", head.toString())
              .writeNumberProperty("untied", untied.size());
      case Broken(String entry, String reason) ->
          json.writeStringProperty("verdict", "broken")
              .writeStringProperty("entry", entry)
              .writeStringProperty("reason", reason);
      case Unsettled() -> json.writeStringProperty("verdict", "unsettled");
    }
  }
}
