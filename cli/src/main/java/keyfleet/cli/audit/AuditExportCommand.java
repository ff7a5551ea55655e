package keyfleet.cli.audit;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import picocli.CommandLine.ParseResult;

/// `audit export`: prints the whole audit of a keyring, one JSON object a line, with all hashes.
public record AuditExportCommand(CommandContext context) implements Command {
  private static final int MAX_NAMED = 20;

  @Override
  public CommandOptions options() {
    return CommandOptions.of(
            this,
            "Prints the whole audit of a keyring, one JSON object a line.",
            "Each entry is printed as it is stored, with its hash, so the copy can be verified"
                + " without the store.",
            "Exit: 0 all entries were printed; 2 an entry is missing or damaged.")
        .add(ConfigKeys.KEYRING, ConfigKeys.STORE);
  }

  @Override
  public int run(ParseResult parsed) {
    try (CommandSession session = context.openSessionForReading(parsed)) {
      List<String> unreadable = new ArrayList<>();
      long printed = print(session, unreadable);
      if (printed == 0 && unreadable.isEmpty()) {
        session.requireKeystore(); // throws if the keyring never existed
      }
      if (!unreadable.isEmpty()) {
        throw CommandException.conditionNotMet(
            "%d parts of the audit cannot be read: %s"
                .formatted(
                    unreadable.size(),
                    Console.sanitize(
                        unreadable.subList(0, Math.min(MAX_NAMED, unreadable.size())).toString())),
            "keyfleet audit verify" + KeyOptions.keyringFlag(session.keyring()));
      }
      return ExitCode.OK;
    }
  }

  private long print(CommandSession session, List<String> unreadable) {
    PrintStream out = context.console().out();
    long[] printed = {0};
    session
        .keyringStore()
        .keystores()
        .reader()
        .export(
            line -> {
              out.print(line + "\n");
              printed[0]++;
            },
            unreadable::add);
    out.flush();
    return printed[0];
  }
}
