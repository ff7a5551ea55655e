package keyfleet.store;

import keyfleet.store.WriteOutcome.Applied;
import keyfleet.store.WriteOutcome.Pending;
import keyfleet.store.WriteOutcome.Superseded;
import keyfleet.store.WriteResult.Written;

/// A compare-and-set write that can find out whether it was applied. The value must contain a nonce
/// of this write: then reading the same bytes under the key proves that this write stored them.
public sealed interface ConditionalWrite {
  Bucket bucket();

  Key key();

  Value value();

  default WriteResult send(Kv kv) {
    return switch (this) {
      case Create _ -> kv.create(bucket(), key(), value());
      case Update(_, _, _, var expected) -> kv.update(bucket(), key(), value(), expected);
    };
  }

  /// Reads the key and compares it with this write.
  default WriteOutcome readOutcome(Kv kv) {
    Entry found = kv.get(bucket(), key()).orElse(null);
    if (found != null && found.value().equals(value())) {
      return new Applied(found.revision());
    }
    boolean isUnchanged =
        switch (this) {
          case Create _ -> found == null;
          case Update(_, _, _, var expected) -> found != null && found.revision().equals(expected);
        };
    return isUnchanged ? new Pending() : new Superseded();
  }

  /// Sends, reads the key back unless the write succeeded, and sends again while the write is
  /// pending, `tries` times in all. Sending twice is safe: both messages expect the same state, so
  /// at most one of them is applied.
  default WriteOutcome sendUntilKnown(Kv kv, int tries) {
    WriteOutcome outcome = new Pending();
    for (int i = 0; i < tries && outcome instanceof Pending; i++) {
      // A conflict is read back too: it may be with an earlier message of this same write.
      outcome = send(kv) instanceof Written(var revision) ? new Applied(revision) : readOutcome(kv);
    }
    return outcome;
  }

  /// If another client deletes the created key before this client reads it back, the key is created
  /// again.
  record Create(Bucket bucket, Key key, Value value) implements ConditionalWrite {}

  record Update(Bucket bucket, Key key, Value value, Revision expected)
      implements ConditionalWrite {}
}
