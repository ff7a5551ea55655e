package keyfleet.cli.command;

import java.util.function.Function;
import java.util.function.Supplier;
import keyfleet.cli.config.EffectiveConfig;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.Console;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;
import picocli.CommandLine.ParseResult;

/// What a command gets: console, settings, the way to open an engine, and the operator.
public record CommandContext(
    Console console,
    Supplier<ProviderContext> runtime,
    Supplier<EffectiveConfig> effectiveConfig,
    Function<StoreUrl, Engine> openEngine,
    Supplier<Operator> operator) {
  /// Opens the store and the keys for one command. The caller closes the session.
  public CommandSession openSession(ParseResult parsed) {
    return CommandSession.open(parsed, KeyOptions.keyring(parsed, runtime.get()), this);
  }

  /// Opens the store and the keys for a command that only reads: it creates nothing, and needs no
  /// right to write. The caller closes the session.
  public CommandSession openSessionForReading(ParseResult parsed) {
    return forReading().openSession(parsed);
  }

  /// The same for a command that lists and decides nothing: what it reads may lag where the store's
  /// URL allows it.
  public CommandSession openSessionForListing(ParseResult parsed) {
    return CommandSession.openForListing(
        parsed, KeyOptions.keyring(parsed, runtime.get()), forReading());
  }

  /// The same context, whose engines are opened only to be read.
  public CommandContext forReading() {
    return new CommandContext(
        console, runtime, effectiveConfig, url -> openEngine.apply(url.forReading()), operator);
  }
}
