package keyfleet.cli.doctor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.StoreOptions;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.control.rewrap.StoreConnections;
import keyfleet.providers.Ticker;
import keyfleet.store.Kv;
import keyfleet.store.MalformedValueException;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.StoreRefusedException.Reason;
import keyfleet.store.engine.CompareAndSetProbe;
import keyfleet.store.engine.CompareAndSetProbe.Failed;
import keyfleet.store.engine.CompareAndSetProbe.Inconclusive;
import keyfleet.store.engine.CompareAndSetProbe.Passed;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.engine.StoreCheck.Level;
import keyfleet.store.engine.StoreUrl;
import picocli.CommandLine.ParseResult;

/// `doctor --store URL`: checks whether a store is safe for key state.
public record DoctorCommand(CommandContext context) implements Command {
  /// Long enough for a server on another continent.
  private static final Duration RACE_TIME_LIMIT = Duration.ofSeconds(20);

  private static final String OTHER_STORE =
      "choose another store: key state is not safe in this one";

  @Override
  public CommandOptions options() {
    return CommandOptions.of(
            this,
            "Checks whether a store is safe for key state.",
            "Connects, measures latency, and lets several writers race: every acknowledged write"
                + " must be readable. Looks for heartbeats in the future of the store's clock, and names the"
                + " keyrings that are in a safe hold.",
            "Exit: 0 safe; 2 unsafe, or something is unknown; 1 no connection.")
        .add(ConfigKeys.STORE, ConfigKeys.RECORDS)
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    StoreUrl url = StoreOptions.storeUrl(parsed, context.runtime().get());
    DoctorReport report = new DoctorReport(url.toString(), completed(runChecks(parsed)));
    report.print(format, context.console().out());
    return report.worstLevel() == Level.OK ? ExitCode.OK : ExitCode.CONDITION_NOT_MET;
  }

  private List<StoreCheck> completed(List<StoreCheck> checks) {
    return checks.stream()
        .map(it ->
            new StoreCheck(it.level(), it.sentence(), context.console().complete(it.remedy())))
        .toList();
  }

  private List<StoreCheck> runChecks(ParseResult parsed) {
    try {
      // opened for writing, it would make a store
      StoreOptions.openStore(parsed, context.forReading()).close();
      return runChecksOnExisting(parsed);
    } catch (StoreRefusedException e) {
      if (e.reason() == Reason.UNSAFE) {
        return List.of(StoreCheck.fail(e.getMessage(), e.remedy()));
      }
      throw e;
    }
  }

  private List<StoreCheck> runChecksOnExisting(ParseResult parsed) {
    try (StoreConnections stores = StoreOptions.open(parsed, context)) {
      List<StoreCheck> checks = new ArrayList<>(stores.storeChecks());
      checks.add(measureLatency(stores.kv()));
      checks.add(raceWriters(stores.kv()));
      checks.addAll(new SafeHoldChecks(stores).run());
      checks.add(checkHeartbeats(stores.kv()));
      return checks;
    }
  }

  private StoreCheck measureLatency(Kv kv) {
    try {
      return StoreLatency.measure(kv, ticker()::nanos, 10).toCheck();
    } catch (StoreException e) {
      return StoreCheck.fail("the store stopped answering: " + e.getMessage(), OTHER_STORE);
    }
  }

  private static StoreCheck checkHeartbeats(Kv kv) {
    try {
      return HeartbeatClockCheck.run(kv);
    } catch (StoreException | MalformedValueException e) {
      return StoreCheck.warn(
          "the heartbeats cannot be read: " + e.getMessage(),
          "run it again, when the store answers");
    }
  }

  private StoreCheck raceWriters(Kv kv) {
    byte[] nonce = new byte[8];
    context.runtime().get().random().nextBytes(nonce);
    String name = "doctor-" + HexFormat.of().formatHex(nonce);
    try {
      return toCheck(new CompareAndSetProbe(kv, name, ticker()::nanos, RACE_TIME_LIMIT).run());
    } catch (StoreException e) {
      return StoreCheck.fail("the race of writers failed: " + e.getMessage(), OTHER_STORE);
    }
  }

  private static StoreCheck toCheck(CompareAndSetProbe.Verdict verdict) {
    return switch (verdict) {
      case Passed(int races) ->
          StoreCheck.ok(
              "compare-and-set works: each of %d races had one winner, and its write was kept"
                  .formatted(races));
      case Failed(String message) ->
          StoreCheck.fail("compare-and-set is broken: " + message, OTHER_STORE);
      case Inconclusive(String message) ->
          StoreCheck.warn(
              "compare-and-set could not be judged: " + message,
              "run it again, when the store is less busy");
    };
  }

  private Ticker ticker() {
    return context.runtime().get().ticker();
  }
}
