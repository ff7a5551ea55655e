package keyfleet.cli.config;

import java.util.ArrayList;
import java.util.List;
import keyfleet.awskms.AwsKmsSpec;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.KekProvider;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ProviderSpec.ProviderContext;
import picocli.CommandLine.ParseResult;

/// The providers of a process, until it ends.
public record KekProviderSet(List<KekProvider> providers) implements AutoCloseable {
  /// What an operator wrote: a provider of the house, or one of a room with an SDK of its own.
  static ProviderSpec parseSpec(String text) {
    if (text.equals(AwsKmsSpec.NAME) || text.startsWith(AwsKmsSpec.NAME + ":")) {
      EngineFactory.silenceDrivers();
      return AwsKmsSpec.parse(text);
    }
    return ProviderSpec.parse(text);
  }

  public static KekProviderSet open(
      ParseResult parsed, KeyringName keyring, ProviderContext runtime) {
    List<KekProvider> opened = new ArrayList<>();
    for (ProviderSpec spec : KeyOptions.providers(parsed, runtime)) {
      opened.add(spec.open(keyring, runtime));
    }
    return new KekProviderSet(List.copyOf(opened));
  }

  @Override
  public void close() {
    providers.forEach(KekProvider::close);
  }
}
