package keyfleet.nats;

import java.time.Duration;
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.Prefix;
import keyfleet.store.StoreTime;

/// The stream that holds a bucket, as `nats kv` lays it out: a message for each key, on the subject
/// of its name.
record NatsStream(Bucket bucket, String bucketName) {
  /// Bounds what deleted keys leave behind. Nothing reads a marker but a late watcher.
  static final Duration MARKER_LIFETIME = Duration.ofMinutes(10);

  String name() {
    return "KV_" + bucketName;
  }

  String subject(Key key) {
    return subjectPrefix() + key;
  }

  String filter(Prefix prefix) {
    return subjectPrefix() + prefix.value() + ">";
  }

  Key key(String subject) {
    return new Key(subject.substring(subjectPrefix().length()));
  }

  /// Is a value of this age still there?
  boolean isLive(StoreTime writtenAt, StoreTime now) {
    return switch (bucket) {
      case Bucket.Lasting _ -> true;
      case Bucket.Expiring(_, var lifetime) -> now.since(writtenAt).compareTo(lifetime) < 0;
    };
  }

  private String subjectPrefix() {
    return "$KV." + bucketName + ".";
  }
}
