package keyfleet.store;

import keyfleet.store.Fate.Applied;
import keyfleet.store.Fate.Overtaken;
import keyfleet.store.Fate.Pending;
import keyfleet.store.Write.Written;

/// A conditional write that can find out what became of it. The value must hold a nonce of this
/// attempt: then finding the same bytes under the key proves that this attempt wrote them.
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

  /// What the key shows of this attempt now.
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

  /// Sends, reads back what got no clear answer, and sends again while it is open, `tries` times in
  /// all. Sending twice is safe: both expect the same, so at most one of them is applied.
  default Fate settle(Kv kv, int tries) {
    Fate fate = new Pending();
    for (int i = 0; i < tries && fate instanceof Pending; i++) {
      // A conflict is read back as well: it may be with our own earlier message.
      fate = send(kv) instanceof Written(var revision) ? new Applied(revision) : fate(kv);
    }
    return fate;
  }

  /// A key that was created, then deleted by another before the answer was read, is created again.
  record Creating(Bucket bucket, Key key, Value value) implements Attempt {}

  record Updating(Bucket bucket, Key key, Value value, Revision expected) implements Attempt {}
}
