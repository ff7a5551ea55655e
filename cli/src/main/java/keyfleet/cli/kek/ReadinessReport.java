package keyfleet.cli.kek;

import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.EnumText;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.JsonOutput;
import keyfleet.cli.output.OutputFormat;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.KnownPlugin;
import keyfleet.keyring.ReadinessGate.Laggard;
import keyfleet.keyring.ReadinessGate.NoFreshProcess;
import keyfleet.keyring.ReadinessGate.NotReady;
import keyfleet.keyring.ReadinessGate.Ready;
import keyfleet.keyring.ReadinessGate.Verdict;
import keyfleet.keyring.SafeHold;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/// The result of a readiness check, in the text that scripts depend on.
///
/// @param provider the provider of the target version in the keystore
/// @param hold why nothing may change before an operator resolves it, so that no fleet is ready;
///   null without one
/// @param storeTime the time of the check
record ReadinessReport(
    KeyringName keyring,
    KekVersion target,
    String provider,
    Verdict verdict,
    @Nullable SafeHold hold,
    Instant storeTime) {
  boolean isReady() {
    return verdict instanceof Ready && hold == null;
  }

  /// Prints the problems on standard error, and the JSON format on standard output too. Returns the
  /// exit code.
  int print(OutputFormat format, Console console) {
    if (format == OutputFormat.JSON) {
      JsonOutput.print(console.out(), this::write);
    } else if (isReady() && verdict instanceof Ready(int processes, _)) {
      console.out().println("READY: target=" + target.number() + " processes=" + processes);
    }
    return printProblems(console);
  }

  /// Prints what prevents readiness, and the stale processes. Returns the exit code.
  int printProblems(Console console) {
    PrintStream err = console.err();
    if (!isReady()) {
      printNotReady(err);
    }
    if (!verdict.stale().isEmpty()) {
      err.println("STALE:");
      verdict.stale().forEach(it -> err.println(new ProcessLine(it).toStaleLine(age(it))));
    }
    if (!isReady()) {
      console.printRemedy(
          hold != null
              ? CommandSession.holdRemedy(keyring)
              : "keyfleet kek verify --target=%d%s --wait"
                  .formatted(target.number(), KeyOptions.keyringFlag(keyring)));
    }
    return isReady() ? ExitCode.OK : ExitCode.CONDITION_NOT_MET;
  }

  private void printNotReady(PrintStream err) {
    err.println("NOT READY: target=" + target.number());
    if (hold != null) {
      err.println(new HoldNotice(hold).line());
    }
    if (verdict instanceof NoFreshProcess) {
      err.println(
          "No process has sent a heartbeat recently. Start one, and wait for its first heartbeat.");
    }
    if (!laggards().isEmpty() || !silent().isEmpty()) {
      err.println("LAGGARDS:");
      for (Laggard laggard : laggards()) {
        ProcessLine line = new ProcessLine(laggard.heartbeat());
        err.println(line.toLine() + " reason=" + reason(laggard) + line.instanceSuffix());
      }
      remedies()
          .forEach((remedy, heartbeats) -> err.println(remedy.text(keyring, target, heartbeats)));
      silent().forEach(it -> err.println(toLine(it)));
      silent().forEach(it -> err.println(silentRemedy(it)));
    }
    missing().forEach(it -> err.println("MISSING: " + it));
  }

  private static String toLine(KnownPlugin plugin) {
    return "host=%s cluster=%s instance=%s reason=silent"
        .formatted(plugin.place().host(), plugin.place().cluster(), plugin.instance());
  }

  private String silentRemedy(KnownPlugin plugin) {
    return "On %s: start the plugin, or connect it to the store; if it will not return: keyfleet kek forget --instance=%s%s"
        .formatted(plugin.place().host(), plugin.instance(), KeyOptions.keyringFlag(keyring));
  }

  private Map<LaggardRemedy, List<Heartbeat>> remedies() {
    Map<LaggardRemedy, List<Heartbeat>> all = new LinkedHashMap<>();
    for (Laggard laggard : laggards()) {
      all.computeIfAbsent(LaggardRemedy.of(laggard, provider), _ -> new ArrayList<>())
          .add(laggard.heartbeat());
    }
    return all;
  }

  private void write(JsonGenerator json) {
    json.writeStringProperty("keyring", keyring.value())
        .writeNumberProperty("target", target.number())
        .writeBooleanProperty("ready", isReady());
    if (hold != null) {
      new HoldNotice(hold).write(json);
    }
    json.writeArrayPropertyStart("laggards");
    for (Laggard laggard : laggards()) {
      json.writeStartObject();
      new ProcessLine(laggard.heartbeat()).write(json);
      json.writeStringProperty("reason", reason(laggard))
          .writeStringProperty(
              "remedy",
              LaggardRemedy.of(laggard, provider)
                  .text(keyring, target, List.of(laggard.heartbeat())))
          .writeEndObject();
    }
    json.writeEndArray().writeArrayPropertyStart("silent");
    for (KnownPlugin plugin : silent()) {
      json.writeStartObject()
          .writeStringProperty("host", plugin.place().host())
          .writeStringProperty("cluster", plugin.place().cluster())
          .writeStringProperty("socket", plugin.place().socket())
          .writeStringProperty("instance", plugin.instance())
          .writeStringProperty("remedy", silentRemedy(plugin))
          .writeEndObject();
    }
    json.writeEndArray().writeArrayPropertyStart("missing");
    missing().forEach(json::writeString);
    json.writeEndArray().writeArrayPropertyStart("stale");
    for (Heartbeat heartbeat : verdict.stale()) {
      json.writeStartObject();
      new ProcessLine(heartbeat).write(json);
      json.writeNumberProperty("heard_seconds_ago", age(heartbeat).toSeconds()).writeEndObject();
    }
    json.writeEndArray();
  }

  private static String reason(Laggard laggard) {
    return EnumText.toSnakeCase(laggard.reason());
  }

  private List<Laggard> laggards() {
    return verdict instanceof NotReady(var laggards, _, _, _) ? laggards : List.of();
  }

  private List<String> missing() {
    return verdict instanceof NotReady(_, var missing, _, _) ? missing : List.of();
  }

  private List<KnownPlugin> silent() {
    return verdict instanceof NotReady(_, _, var silent, _) ? silent : List.of();
  }

  private Duration age(Heartbeat heartbeat) {
    return Duration.between(heartbeat.writtenAt(), storeTime);
  }
}
