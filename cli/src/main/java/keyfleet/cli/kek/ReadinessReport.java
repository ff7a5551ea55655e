package keyfleet.cli.kek;

import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.EnumText;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.JsonOutput;
import keyfleet.cli.output.OutputFormat;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.FleetReadiness.Laggard;
import keyfleet.keyring.FleetReadiness.NoFreshProcess;
import keyfleet.keyring.FleetReadiness.NotReady;
import keyfleet.keyring.FleetReadiness.Ready;
import keyfleet.keyring.FleetReadiness.Verdict;
import keyfleet.keyring.Heartbeat;
import tools.jackson.core.JsonGenerator;

/// What the gate said of a fleet, in the words that scripts look for.
///
/// @param provider where the keystore says that the target comes from
/// @param storeTime when the gate was asked
record ReadinessReport(
    KeyringName keyring, KekVersion target, String provider, Verdict verdict, Instant storeTime) {
  boolean isReady() {
    return verdict instanceof Ready;
  }

  /// Words on standard error, whatever the format; the object, if wanted, on standard output.
  /// Returns the exit code.
  int print(OutputFormat format, Console console) {
    if (format == OutputFormat.JSON) {
      JsonOutput.print(console.out(), this::write);
    } else if (verdict instanceof Ready(int processes, _)) {
      console.out().println("READY: target=" + target.number() + " processes=" + processes);
    }
    return printProblems(console.err());
  }

  /// Says what stands in the way, if anything does.
  int printProblems(PrintStream err) {
    if (!isReady()) {
      printObjections(err);
    }
    if (!stale().isEmpty()) {
      err.println("STALE:");
      stale().forEach(it -> err.println(new ProcessLine(it).toStaleLine(age(it))));
    }
    if (!isReady()) {
      err.println("Try: keyfleet kek verify --target=" + target.number());
    }
    return isReady() ? ExitCode.OK : ExitCode.CONDITION_NOT_MET;
  }

  private void printObjections(PrintStream err) {
    err.println("NOT READY: target=" + target.number());
    if (verdict instanceof NoFreshProcess) {
      err.println("No process was heard of lately. Start one, and wait until it has said so once.");
    }
    if (!laggards().isEmpty()) {
      err.println("LAGGARDS:");
      for (Laggard laggard : laggards()) {
        err.println(new ProcessLine(laggard.heartbeat()).toLine() + " reason=" + reason(laggard));
      }
      remedies()
          .forEach((remedy, heartbeats) -> err.println(remedy.text(keyring, target, heartbeats)));
    }
    missing().forEach(it -> err.println("MISSING: " + it));
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
    json.writeEndArray().writeArrayPropertyStart("missing");
    missing().forEach(json::writeString);
    json.writeEndArray().writeArrayPropertyStart("stale");
    for (Heartbeat heartbeat : stale()) {
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
    return verdict instanceof NotReady(var laggards, _, _) ? laggards : List.of();
  }

  private List<String> missing() {
    return verdict instanceof NotReady(_, var missing, _) ? missing : List.of();
  }

  private List<Heartbeat> stale() {
    return switch (verdict) {
      case Ready(_, var stale) -> stale;
      case NotReady(_, _, var stale) -> stale;
      case NoFreshProcess(var stale) -> stale;
    };
  }

  private Duration age(Heartbeat heartbeat) {
    return Duration.between(heartbeat.writtenAt(), storeTime);
  }
}
