package keyfleet.providers;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The parts of `KIND:PATH?NAME=VALUE&…`. Each option is asked for once; what is left over at the
/// end is a mistake and refused.
final class ProviderText {
  private static final Pattern FORM = Pattern.compile("([a-z0-9]+)(?::([^?]*)(?:\\?(.*))?)?");
  private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(ms|s)");
  private static final Pattern RATE = Pattern.compile("[1-9][0-9]{0,8}");

  private final String text;
  private final String path;
  private final Map<String, String> options;

  private ProviderText(String text, String path, Map<String, String> options) {
    this.text = text;
    this.path = path;
    this.options = options;
  }

  static ProviderSpec parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw unknown(text);
    }
    String path = form.group(2) == null ? "" : form.group(2);
    ProviderText parts = new ProviderText(text, path, options(text, form.group(3)));
    ProviderSpec spec =
        switch (form.group(1)) {
          case EnvProvider.NAME -> parts.env();
          case FileProvider.NAME -> new ProviderSpec.KeyFolder(parts.path("file:DIR"));
          case SimulatedProvider.NAME -> parts.simulated();
          default -> throw unknown(text);
        };
    parts.refuseLeftovers();
    return spec;
  }

  private ProviderSpec env() {
    if (!path.isEmpty()) {
      throw bad("env takes nothing behind it", "env");
    }
    return new ProviderSpec.Env();
  }

  private ProviderSpec simulated() {
    return new ProviderSpec.Simulated(
        path("simulated:DIR"), duration("latency", "0ms"), rate("rate", "1000000"));
  }

  private Path path(String form) {
    try {
      if (!path.isEmpty()) {
        return Path.of(path);
      }
    } catch (InvalidPathException e) {
      throw bad("that is no path", form);
    }
    throw bad("a path is missing", form);
  }

  private Duration duration(String option, String otherwise) {
    String value = take(option, otherwise);
    Matcher matcher = DURATION.matcher(value);
    if (!matcher.matches()) {
      throw bad(
          option + "=" + value + " is not a duration", option + "=500ms or " + option + "=2s");
    }
    long amount = Long.parseLong(matcher.group(1));
    return matcher.group(2).equals("ms") ? Duration.ofMillis(amount) : Duration.ofSeconds(amount);
  }

  private int rate(String option, String otherwise) {
    String value = take(option, otherwise);
    if (!RATE.matcher(value).matches()) {
      throw bad(option + "=" + value + " is not a number of calls a second", option + "=100");
    }
    return Integer.parseInt(value);
  }

  private String take(String option, String otherwise) {
    String value = options.remove(option);
    return value == null ? otherwise : value;
  }

  private void refuseLeftovers() {
    if (!options.isEmpty()) {
      throw bad("it has no option " + options.keySet().iterator().next(), "leave it out");
    }
  }

  private static Map<String, String> options(String text, @Nullable String query) {
    Map<String, String> options = new HashMap<>();
    if (query == null) {
      return options;
    }
    for (String pair : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals < 1
          || options.put(pair.substring(0, equals), decode(pair.substring(equals + 1))) != null) {
        throw new ProviderException(
            "provider " + text + ": options are NAME=VALUE, each once",
            "keyfleet kek verify --help");
      }
    }
    return options;
  }

  /// Percent-decoded, as in a URL, but a plus stays a plus.
  private static String decode(String value) {
    return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private ProviderException bad(String problem, String remedy) {
    return new ProviderException("provider " + text + ": " + problem, remedy);
  }

  private static ProviderException unknown(String text) {
    return new ProviderException(
        "provider "
            + text
            + " is not known: env, file:DIR, pkcs11:MODULE?token=LABEL&pin-file=FILE, simulated:DIR",
        "--provider env");
  }
}
