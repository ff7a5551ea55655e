package keyfleet.providers;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads the parts of `KIND:PATH?NAME=VALUE&…`. Each option is taken once; an option that remains
/// at the end is an error. Messages show only the part before `?`, and of an address not the part
/// before `@`, because that may contain a secret.
public final class ProviderSpecReader {
  private final String subject;
  private final String kind;
  private final String path;
  private final Map<String, String> options = new HashMap<>();

  public ProviderSpecReader(String text) {
    int query = text.indexOf('?');
    this.subject = query < 0 ? text : text.substring(0, query);
    int colon = subject.indexOf(':');
    this.kind = colon < 0 ? subject : subject.substring(0, colon);
    this.path = colon < 0 ? "" : subject.substring(colon + 1);
    if (query >= 0) {
      for (String pair : text.substring(query + 1).split("&", -1)) {
        addOption(pair);
      }
    }
  }

  private void addOption(String pair) {
    int equals = pair.indexOf('=');
    if (equals < 1
        || options.put(pair.substring(0, equals), decode(pair.substring(equals + 1))) != null) {
      throw invalid(
          "options are NAME=VALUE, joined by &, each at most once", "keyfleet kek verify --help");
    }
  }

  /// Percent-decodes as in a URL, but a plus stays a plus.
  private String decode(String value) {
    try {
      return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw invalid("a % in an option must be followed by two hex digits", "write %25 for a %");
    }
  }

  public String kind() {
    return kind;
  }

  boolean hasPath() {
    return !path.isEmpty();
  }

  /// The text after the kind; `example` shows the expected form.
  public String address(String example) {
    if (path.isEmpty()) {
      throw invalid("the address is missing", example);
    }
    return path;
  }

  /// The path after the kind; `example` shows the expected form.
  Path path(String example) {
    if (path.isEmpty()) {
      throw invalid("a path is missing", example);
    }
    return path(path, example);
  }

  public Path path(String text, String example) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw invalid("not a valid path", example);
    }
  }

  public @Nullable String takeOption(String option) {
    return options.remove(option);
  }

  String takeOption(String option, String defaultValue) {
    String value = options.remove(option);
    return value == null ? defaultValue : value;
  }

  public void refuseUnknownOptions() {
    if (!options.isEmpty()) {
      throw invalid("unknown option " + options.keySet().iterator().next(), "leave it out");
    }
  }

  public ProviderException invalid(String problem, String remedy) {
    String shown = subject.replaceFirst("//.*@", "//…@");
    return new ProviderException("provider " + shown + ": " + problem, remedy);
  }
}
