package keyfleet.cli.doctor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.StoreOptions;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.providers.Ticker;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.StoreRefusedException.Reason;
import keyfleet.store.engine.CompareAndSetProbe;
import keyfleet.store.engine.CompareAndSetProbe.Failed;
import keyfleet.store.engine.CompareAndSetProbe.Inconclusive;
import keyfleet.store.engine.CompareAndSetProbe.Passed;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.engine.StoreCheck.Level;
import keyfleet.store.engine.StoreUrl;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// `doctor --store URL`: may key state be kept in this store?
public final class DoctorCommand implements Command {
  /// Long enough for a server on another continent.
  private static final Duration RACE_TIME_LIMIT = Duration.ofSeconds(20);

  private static final String OTHER_STORE = "another store; no key state is safe in this one";

  private final Console console;
  private final Supplier<ProviderContext> runtime;
  private final Function<StoreUrl, Engine> openEngine;

  public DoctorCommand(
      Console console, Supplier<ProviderContext> runtime, Function<StoreUrl, Engine> openEngine) {
    this.console = console;
    this.runtime = runtime;
    this.openEngine = openEngine;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = StoreOptions.addTo(CommandSpec.wrapWithoutInspection(this));
    spec.addOption(OutputFormat.option());
    spec.usageMessage()
        .description(
            "Connects, measures, and races a few writers: what was acknowledged must be there.",
            "Exit: 0 safe; 2 unsafe, or something is unknown; 1 no connection.");
    return spec;
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    StoreUrl url = StoreOptions.storeUrl(parsed, runtime.get());
    DoctorReport doctorReport = new DoctorReport(url.toString(), runChecks(url));
    doctorReport.print(format, console.out());
    return doctorReport.worstLevel() == Level.OK ? ExitCode.OK : ExitCode.CONDITION_NOT_MET;
  }

  private List<StoreCheck> runChecks(StoreUrl url) {
    try (Engine engine = openEngine.apply(url)) {
      List<StoreCheck> storeChecks = new ArrayList<>(engine.storeChecks());
      storeChecks.add(measureLatency(engine));
      storeChecks.add(raceWriters(engine));
      return storeChecks;
    } catch (StoreRefusedException e) {
      if (e.reason() == Reason.UNSAFE) {
        return List.of(StoreCheck.fail(e.getMessage(), e.remedy()));
      }
      throw e;
    }
  }

  private StoreCheck measureLatency(Engine engine) {
    try {
      return StoreLatency.measure(engine.kv(), ticker()::nanos, 10).storeCheck();
    } catch (StoreException e) {
      return StoreCheck.fail("it stopped answering: " + e.getMessage(), OTHER_STORE);
    }
  }

  private StoreCheck raceWriters(Engine engine) {
    byte[] nonce = new byte[8];
    runtime.get().random().nextBytes(nonce);
    String name = "doctor-" + HexFormat.of().formatHex(nonce);
    try {
      return toCheck(
          new CompareAndSetProbe(engine.kv(), name, ticker()::nanos, RACE_TIME_LIMIT).run());
    } catch (StoreException e) {
      return StoreCheck.fail("writers could not race: " + e.getMessage(), OTHER_STORE);
    }
  }

  private static StoreCheck toCheck(CompareAndSetProbe.Verdict verdict) {
    return switch (verdict) {
      case Passed(int races) ->
          StoreCheck.ok(
              "compare-and-set holds: of %d races each had one winner, and kept what it wrote"
                  .formatted(races));
      case Failed(String message) ->
          StoreCheck.fail("compare-and-set is broken: " + message, OTHER_STORE);
      case Inconclusive(String message) ->
          StoreCheck.warn(
              "compare-and-set could not be judged: " + message,
              "keyfleet doctor again, when the store has less to do");
    };
  }

  private Ticker ticker() {
    return runtime.get().ticker();
  }
}
