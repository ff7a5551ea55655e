package keyfleet.store;

import keyfleet.store.Fate.Applied;
import keyfleet.store.Fate.Overtaken;
import keyfleet.store.Fate.Pending;
import keyfleet.store.Write.Written;

/// A compare-and-set write that can find out whether it was applied. The value must contain a nonce
/// of this write: then reading the same bytes under the key proves that this write stored them.
public sealed interface Attempt {
  Bucket bucket();

  Key key();

  Value value();

  default Write send(Kv kv) {
    return switch (this) {
      case Creating _ -> kv.create(bucket(), key(), value());
      case Updating(_, _, _, var expected) -> kv.update(bucket(), key(), value(), expected);
    };
  }

  /// Reads the key and compares it with this write.
  default Fate fate(Kv kv) {
    Entry found = kv.get(bucket(), key()).orElse(null);
    if (found != null && found.value().equals(value())) {
      return new Applied(found.revision());
    }
    boolean asExpected =
        switch (this) {
          case Creating _ -> found == null;
          case Updating(_, _, _, var expected) ->
              found != null && found.revision().equals(expected);
        };
    return asExpected ? new Pending() : new Overtaken();
  }

  /// Sends, reads the key back unless the write succeeded, and sends again while the write is
  /// pending, `tries` times in all. Sending twice is safe: both messages expect the same state, so
  /// at most one of them is applied.
  default Fate settle(Kv kv, int tries) {
    Fate fate = new Pending();
    for (int i = 0; i < tries && fate instanceof Pending; i++) {
      // A conflict is read back too: it may be with an earlier message of this same write.
      fate = send(kv) instanceof Written(var revision) ? new Applied(revision) : fate(kv);
    }
    return fate;
  }

  /// If another client deletes the created key before this client reads it back, the key is created
  /// again.
  record Creating(Bucket bucket, Key key, Value value) implements Attempt {}

  record Updating(Bucket bucket, Key key, Value value, Revision expected) implements Attempt {}
}
