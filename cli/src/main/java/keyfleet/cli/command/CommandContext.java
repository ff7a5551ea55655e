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

/// What a command needs that works on a store.
public record CommandContext(
    Console console,
    Supplier<ProviderContext> runtime,
    Supplier<EffectiveConfig> effectiveConfig,
    Function<StoreUrl, Engine> openEngine,
    Supplier<Operator> operator) {
  /// For the length of the command; whoever asks closes it.
  public CommandSession openSession(ParseResult parsed) {
    return CommandSession.open(parsed, KeyOptions.keyring(parsed, runtime.get()), this);
  }
}
