package keyfleet.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import keyfleet.providers.ProviderSpec.Surroundings;
import keyfleet.providers.Ticker;
import keyfleet.store.Check;
import keyfleet.store.Check.Level;
import keyfleet.store.Engine;
import keyfleet.store.RaceProbe;
import keyfleet.store.RaceProbe.Broken;
import keyfleet.store.RaceProbe.Kept;
import keyfleet.store.RaceProbe.Unclear;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.StoreRefusedException.Ground;
import keyfleet.store.StoreUrl;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// `doctor --store URL`: may key state be kept in this store?
final class Doctor implements Command {
  /// Long enough for a server on another continent.
  private static final Duration RACE = Duration.ofSeconds(20);

  private static final String OTHER_STORE = "another store; no key state is safe in this one";

  private final Console console;
  private final Supplier<Surroundings> around;
  private final Function<StoreUrl, Engine> engines;

  Doctor(Console console, Supplier<Surroundings> around, Function<StoreUrl, Engine> engines) {
    this.console = console;
    this.around = around;
    this.engines = engines;
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
    StoreUrl url = StoreOptions.store(parsed, around.get());
    Diagnosis diagnosis = new Diagnosis(url.toString(), checks(url));
    diagnosis.print(format, console.out());
    return diagnosis.worst() == Level.OK ? Exit.OK : Exit.CONDITION_NOT_MET;
  }

  private List<Check> checks(StoreUrl url) {
    try (Engine engine = engines.apply(url)) {
      List<Check> checks = new ArrayList<>(engine.checks());
      checks.add(latency(engine));
      checks.add(race(engine));
      return checks;
    } catch (StoreRefusedException e) {
      if (e.ground() == Ground.UNFIT) {
        return List.of(Check.fail(e.getMessage(), e.remedy()));
      }
      throw e;
    }
  }

  private Check latency(Engine engine) {
    try {
      return Latency.of(engine.kv(), ticker()::nanos, 10).check();
    } catch (StoreException e) {
      return Check.fail("it stopped answering: " + e.getMessage(), OTHER_STORE);
    }
  }

  private Check race(Engine engine) {
    byte[] nonce = new byte[8];
    around.get().random().nextBytes(nonce);
    String name = "doctor-" + HexFormat.of().formatHex(nonce);
    try {
      return check(new RaceProbe(engine.kv(), name, ticker()::nanos, RACE).run());
    } catch (StoreException e) {
      return Check.fail("writers could not race: " + e.getMessage(), OTHER_STORE);
    }
  }

  private static Check check(RaceProbe.Verdict verdict) {
    return switch (verdict) {
      case Kept(int races) ->
          Check.ok(
              "compare-and-set holds: of %d races each had one winner, and kept what it wrote"
                  .formatted(races));
      case Broken(String sentence) ->
          Check.fail("compare-and-set is broken: " + sentence, OTHER_STORE);
      case Unclear(String sentence) ->
          Check.warn(
              "compare-and-set could not be judged: " + sentence,
              "keyfleet doctor again, when the store has less to do");
    };
  }

  private Ticker ticker() {
    return around.get().ticker();
  }
}
