package keyfleet.providers;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The parts of `KIND:PATH?NAME=VALUE&…`. Each option is taken once; what is left at the end is a
/// mistake. Messages show the part before `?` alone, and of an address not what stands before its
/// `@`: someone may have put a secret there.
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
      throw bad("options are NAME=VALUE, joined by &, each once", "keyfleet kek verify --help");
    }
  }

  /// Percent-decoded, as in a URL, but a plus stays a plus.
  private String decode(String value) {
    try {
      return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw bad("an option has a % that two hex digits do not follow", "write %25 for a %");
    }
  }

  public String kind() {
    return kind;
  }

  boolean hasPath() {
    return !path.isEmpty();
  }

  /// What stands behind the kind; `form` shows how it should have looked.
  public String rest(String form) {
    if (path.isEmpty()) {
      throw bad("something is missing behind it", form);
    }
    return path;
  }

  /// The path behind the kind; `form` shows how it should have looked.
  Path path(String form) {
    if (path.isEmpty()) {
      throw bad("a path is missing", form);
    }
    return path(path, form);
  }

  public Path path(String text, String form) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw bad("that is no path", form);
    }
  }

  public @Nullable String take(String option) {
    return options.remove(option);
  }

  String take(String option, String otherwise) {
    String value = options.remove(option);
    return value == null ? otherwise : value;
  }

  public void refuseLeftovers() {
    if (!options.isEmpty()) {
      throw bad("there is no option " + options.keySet().iterator().next(), "leave it out");
    }
  }

  public ProviderException bad(String problem, String remedy) {
    String shown = subject.replaceFirst("//.*@", "//…@");
    return new ProviderException("provider " + shown + ": " + problem, remedy);
  }
}
