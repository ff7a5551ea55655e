package keyfleet.store;

import java.time.Duration;
import java.util.regex.Pattern;

/// A named set of keys whose entries have the same lifetime. Engines create a bucket on its first
/// use; its kind and lifetime are fixed from then on.
public sealed interface Bucket {
  /// Lower-case letters, digits, hyphens and underscores, so that the name is also valid for a
  /// table (quoted), a collection or a stream.
  Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]{0,30}");

  /// MongoDB counts lifetimes in seconds.
  Duration MIN_LIFETIME = Duration.ofSeconds(1);

  String name();

  /// The name in a sentence for people: without the lifetime, which some names end with.
  default String label() {
    return name().replaceFirst("_[0-9]+ms$", "").replace('_', ' ');
  }

  /// Entries stay until they are deleted.
  record Lasting(String name) implements Bucket {
    public Lasting {
      check(name);
    }
  }

  /// Entries disappear when they have not been written for `lifetime`.
  record Expiring(String name, Duration lifetime) implements Bucket {
    public Expiring {
      check(name);
      if (lifetime.compareTo(MIN_LIFETIME) < 0) {
        throw new IllegalArgumentException(
            "entries of bucket "
                + name
                + " have a lifetime of at least "
                + MIN_LIFETIME
                + ", not "
                + lifetime);
      }
    }
  }

  private static void check(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "invalid bucket name "
              + name
              + ": a lower-case letter, then up to 30 of a-z, 0-9, _ and -");
    }
  }
}
