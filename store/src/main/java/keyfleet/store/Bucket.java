package keyfleet.store;

import java.time.Duration;
import java.util.regex.Pattern;

/// A named set of keys whose entries all live equally long. Engines make a bucket on its first use;
/// its kind and lifetime are then fixed.
public sealed interface Bucket {
  /// Lower case, hyphens and underscores, so that it also names a table (quoted), a collection or a
  /// stream.
  Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]{0,30}");

  /// MongoDB counts lifetimes in seconds.
  Duration SHORTEST = Duration.ofSeconds(1);

  String name();

  /// Entries stay until they are deleted.
  record Lasting(String name) implements Bucket {
    public Lasting {
      check(name);
    }
  }

  /// Entries are gone when they have not been written for `lifetime`.
  record Expiring(String name, Duration lifetime) implements Bucket {
    public Expiring {
      check(name);
      if (lifetime.compareTo(SHORTEST) < 0) {
        throw new IllegalArgumentException(
            "entries of bucket " + name + " live at least " + SHORTEST + ", not " + lifetime);
      }
    }
  }

  private static void check(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("not a bucket's name: " + name);
    }
  }
}
