package keyfleet.sim.rollout;

import java.util.Optional;
import java.util.function.Consumer;
import keyfleet.store.Bucket;
import keyfleet.store.Entry;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Key;
import keyfleet.store.Kv;

/// A store that passes each desired state to an observer when a node reads it.
record ObservedReadsKv(Kv inner, Consumer<Entry> observer) implements ForwardingKv {
  @Override
  public Optional<Entry> get(Bucket bucket, Key key) {
    Optional<Entry> entry = inner.get(bucket, key);
    if (key.value().startsWith("desired.")) {
      entry.ifPresent(observer);
    }
    return entry;
  }
}
