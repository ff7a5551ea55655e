package keyfleet.nats;

import java.time.Duration;
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.Prefix;
import keyfleet.store.StoreTime;

/// The stream of a bucket, in the layout of `nats kv`: one message for each key, on the subject
/// with the key's name.
record NatsStream(Bucket bucket, String bucketName) {
  /// Limits how many markers deleted keys leave behind. Only a late watcher reads a marker.
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

  /// Whether a value written at that time has not expired.
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
