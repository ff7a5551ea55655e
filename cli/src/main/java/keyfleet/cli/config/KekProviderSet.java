package keyfleet.cli.config;

import java.util.ArrayList;
import java.util.List;
import keyfleet.awskms.AwsKmsSpec;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.KekProvider;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ProviderSpec.ProviderContext;
import picocli.CommandLine.ParseResult;

/// The open key providers of a process. Closing the set closes them.
public record KekProviderSet(List<KekProvider> all) implements AutoCloseable {
  /// Parses a provider as an operator writes it. AWS KMS has its own parser, because its SDK is
  /// kept in a separate module.
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
    all.forEach(KekProvider::close);
  }
}
