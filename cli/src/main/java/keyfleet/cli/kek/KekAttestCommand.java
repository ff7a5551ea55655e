package keyfleet.cli.kek;

import java.util.List;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.command.Confirmation;
import keyfleet.cli.command.OperationReport;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import picocli.CommandLine.ParseResult;

/// `kek attest`: takes the operator's word that no object in etcd needs a version.
public record KekAttestCommand(CommandContext context) implements Command {
  private static final String CLUSTER = "--cluster";
  private static final String REASON = "--reason";
  private static final int MAX_REASON = 200;

  @Override
  public CommandOptions options() {
    return Confirmation.addTo(
        CommandOptions.of(
                this,
                "Attests that no object in etcd needs an old version.",
                "For a kms keyring, whose objects Keyfleet cannot count. Rewrite them through the API"
                    + " servers first; an object that was missed cannot be read once the key is gone.",
                "Exit: 0 attested; 2 refused, with the reason; 1 an error.")
            .add(ConfigKeys.KEYRING, ConfigKeys.STORE, ConfigKeys.RECORDS)
            .required(KeyOptions.VERSION, "N", "The old version.")
            .text(CLUSTER, "NAME", "The cluster (default: all clusters of the keyring).")
            .required(REASON, "TEXT", "How you know it; for the audit.")
            .outputFormat());
  }

  @Override
  public int run(ParseResult parsed) {
    KekVersion version = KeyOptions.version(parsed);
    String reason = parseReason(parsed.matchedOptionValue(REASON, ""));
    OutputFormat format = OutputFormat.of(parsed);
    try (CommandSession session = context.openSession(parsed)) {
      Keystore keystore = session.requireKeystore();
      List<String> all = requireClusters(session, keystore);
      String named = parsed.matchedOptionValue(CLUSTER, "");
      if (all.isEmpty()) {
        throw CommandException.conditionNotMet(
            "keyring %s has no cluster: no plugin of it was ever heard"
                .formatted(session.keyring()),
            "keyfleet keyring list");
      }
      if (!named.isEmpty() && !all.contains(named)) {
        throw new CommandException(
            "no plugin of cluster %s was ever heard; the clusters are %s"
                .formatted(Console.sanitize(named), String.join(", ", all)),
            CLUSTER + "=" + all.getFirst());
      }
      List<String> clusters = named.isEmpty() ? all : List.of(named);
      String keyring = KeyOptions.keyringFlag(session.keyring());
      Confirmation.require(
          context.console(),
          parsed,
          version.toString(),
          "An object of cluster %s that still needs %s cannot be read once its key is gone."
              .formatted(String.join(", ", clusters), version),
          "keyfleet kek attest --version=%d%s --reason='%s'%s"
              .formatted(
                  version.number(),
                  named.isEmpty() ? "" : " " + CLUSTER + "=" + named,
                  reason,
                  keyring));
      return attest(session, version, clusters, reason, format);
    }
  }

  private static List<String> requireClusters(CommandSession session, Keystore keystore) {
    List<String> all = session.keyringOperations().clustersToAttest(keystore);
    if (all.isEmpty()) {
      throw CommandException.conditionNotMet(
          "keyring %s is for records, which Keyfleet counts; only the versions of a kms keyring are attested"
              .formatted(session.keyring()),
          "keyfleet kek inventory" + KeyOptions.keyringFlag(session.keyring()));
    }
    return all;
  }

  private int attest(
      CommandSession session,
      KekVersion version,
      List<String> clusters,
      String reason,
      OutputFormat format) {
    String keyring = KeyOptions.keyringFlag(session.keyring());
    for (String cluster : clusters) {
      new OperationReport(
              session.keyring(),
              "cluster %s is attested not to need %s".formatted(cluster, version),
              "keyfleet kek list" + keyring)
          .print(
              session.keyringOperations().attest(version, cluster, reason),
              format,
              context.console());
    }
    return ExitCode.OK;
  }

  private static String parseReason(String text) {
    if (text.isBlank() || text.length() > MAX_REASON || text.contains("'")) {
      throw new CommandException(
          REASON + " must have 1 to " + MAX_REASON + " characters, without '",
          REASON + "='all objects were rewritten, census of 2026-11-19'");
    }
    return Console.sanitize(text);
  }
}
