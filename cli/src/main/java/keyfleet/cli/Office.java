package keyfleet.cli;

import java.util.function.Function;
import java.util.function.Supplier;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;
import picocli.CommandLine.ParseResult;

/// What a command needs that works on a store.
record Office(
    Console console,
    Supplier<ProviderContext> around,
    Supplier<Config> config,
    Function<StoreUrl, Engine> engines,
    Supplier<Operator> operator) {
  /// For the length of the command; whoever asks closes it.
  Desk desk(ParseResult parsed) {
    return Desk.open(parsed, KeyOptions.keyring(parsed, around.get()), this);
  }
}
