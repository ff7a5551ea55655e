package keyfleet.cli.kek;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.KekProvider;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ProviderSpec.ProviderContext;
import picocli.CommandLine.ParseResult;
import tools.jackson.core.JsonGenerator;

/// `kek verify --local`: checks that every key of this host can wrap and unwrap.
record LocalVerification(Console console, Supplier<ProviderContext> runtime) {
  /// The result of wrapping and unwrapping with one key. An empty problem means that the key works.
  private record KeyCheckResult(String provider, KekVersion version, String problem) {
    boolean isOk() {
      return problem.isEmpty();
    }
  }

  int run(ParseResult parsed) {
    KeyringName keyring = KeyOptions.keyring(parsed, runtime.get());
    List<ProviderSpec> specs = KeyOptions.providers(parsed, runtime.get());
    OutputFormat format = OutputFormat.of(parsed);
    List<KeyCheckResult> results = new ArrayList<>();
    for (ProviderSpec spec : specs) {
      try (KekProvider provider = spec.open(keyring, runtime.get())) {
        results.addAll(checkKeys(provider));
      }
    }
    format.print(
        console.out(),
        out -> printTable(results, out),
        json -> write(json.writeStringProperty("keyring", keyring.value()), results));
    return report(keyring, results);
  }

  private List<KeyCheckResult> checkKeys(KekProvider provider) {
    KekSet kekSet = provider.load();
    var cipher = new EnvelopeCipher(kekSet, runtime.get().random());
    return kekSet.versions().stream()
        .map(version -> checkKey(provider.name(), cipher, version))
        .toList();
  }

  private static KeyCheckResult checkKey(
      String provider, EnvelopeCipher cipher, KekVersion version) {
    try {
      String problem = cipher.canRoundTrip(version) ? "" : "unwraps to different bytes";
      return new KeyCheckResult(provider, version, problem);
    } catch (KekUnavailableException e) {
      return new KeyCheckResult(provider, version, e.getMessage());
    }
  }

  private static int report(KeyringName keyring, List<KeyCheckResult> results) {
    long failed = results.stream().filter(result -> !result.isOk()).count();
    if (results.isEmpty()) {
      throw CommandException.conditionNotMet(
          "no key of keyring " + keyring + " is loaded",
          "name another place with --provider, or make a key: keyfleet kek generate --help");
    }
    if (failed > 0) {
      throw CommandException.conditionNotMet(
          failed + " of " + results.size() + " keys failed",
          "check the provider of each failed key, then: keyfleet kek verify --local");
    }
    return ExitCode.OK;
  }

  private static void printTable(List<KeyCheckResult> results, PrintStream out) {
    if (!results.isEmpty()) {
      out.println("PROVIDER   VERSION  RESULT");
    }
    for (KeyCheckResult check : results) {
      String result = check.isOk() ? "ok" : "failed: " + check.problem();
      out.println(column(check.provider(), 11) + column(check.version().toString(), 9) + result);
    }
  }

  /// Pads without `printf`, which would take longer than the key check.
  private static String column(String text, int width) {
    return text + " ".repeat(Math.max(1, width - text.length()));
  }

  private static void write(JsonGenerator json, List<KeyCheckResult> results) {
    json.writeArrayPropertyStart("keys");
    for (KeyCheckResult check : results) {
      json.writeStartObject()
          .writeStringProperty("provider", check.provider())
          .writeNumberProperty("version", check.version().number())
          .writeBooleanProperty("ok", check.isOk());
      if (!check.isOk()) {
        json.writeStringProperty("problem", check.problem());
      }
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
