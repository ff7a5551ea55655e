package keyfleet.store;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import keyfleet.store.ChangeHint.Missed;
import keyfleet.store.WriteResult.Written;

/// A way to break a [Kv]. Some occur in real servers.
public enum KvFlaw {
  /// Acknowledges before a write is durable, as NATS does unless `sync_interval` is `always`.
  LOSSY(LossyKv::new),

  /// Reads from any replica, as the direct get of NATS does.
  STALE(StaleKv::new),

  /// Compares first and writes later, as clusters of NATS before 2.9.21 did.
  CHECKED_THEN_WRITTEN(kv -> {
    Exchanger<Key> checked = new Exchanger<>();
    return new Forwarding(kv) {
      @Override
      public WriteResult create(Bucket bucket, Key key, Value value) {
        Optional<Entry> held = kv.get(bucket, key);
        meetAnother(checked, key);
        return held.isEmpty() ? kv.put(bucket, key, value) : new Conflict();
      }

      @Override
      public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
        Optional<Revision> held = kv.get(bucket, key).map(Entry::revision);
        meetAnother(checked, key);
        return held.equals(Optional.of(expected)) ? kv.put(bucket, key, value) : new Conflict();
      }
    };
  }),

  /// Keeps raced updates, and acknowledges every raced create: as FerretDB 2.7 does with upserts.
  CREATES_CHECKED_THEN_WRITTEN(kv -> {
    Exchanger<Key> checked = new Exchanger<>();
    return new Forwarding(kv) {
      @Override
      public WriteResult create(Bucket bucket, Key key, Value value) {
        Optional<Entry> held = kv.get(bucket, key);
        meetAnother(checked, key);
        return held.isEmpty() ? kv.put(bucket, key, value) : new Conflict();
      }
    };
  }),

  UPDATES_ANY_REVISION(kv ->
      new Forwarding(kv) {
        @Override
        public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
          return kv.put(bucket, key, value);
        }
      }),

  DELETES_ANY_REVISION(kv ->
      new Forwarding(kv) {
        @Override
        public DeleteResult delete(Bucket bucket, Key key, Revision expected) {
          Revision held = kv.get(bucket, key).map(Entry::revision).orElse(expected);
          return kv.delete(bucket, key, held);
        }
      }),

  /// Restarts revisions at one after each deletion, as a counter inside the entry would.
  CREATES_AT_ONE(kv ->
      new Forwarding(kv) {
        @Override
        public WriteResult create(Bucket bucket, Key key, Value value) {
          WriteResult result = kv.create(bucket, key, value);
          return result instanceof Written ? new Written(new Revision(1)) : result;
        }
      }),

  /// Deletes expired entries late and returns them meanwhile, as a TTL index of MongoDB alone
  /// would.
  SWEPT_LATE(kv ->
      new Forwarding(kv) {
        @Override
        public Optional<Entry> get(Bucket bucket, Key key) {
          return kv.get(lasting(bucket), key);
        }

        @Override
        public WriteResult put(Bucket bucket, Key key, Value value) {
          return kv.put(lasting(bucket), key, value);
        }
      }),

  LISTS_BY_TEXT(kv ->
      new Forwarding(kv) {
        @Override
        public List<Entry> list(Bucket bucket, Prefix prefix) {
          String text = prefix.value().replaceFirst("\\.$", "");
          return kv.list(bucket, Prefix.ALL).stream()
              .filter(it -> it.key().value().startsWith(text))
              .toList();
        }
      }),

  LISTS_UNORDERED(kv ->
      new Forwarding(kv) {
        @Override
        public List<Entry> list(Bucket bucket, Prefix prefix) {
          return kv.list(bucket, prefix).reversed();
        }
      }),

  HIDES_LOST_HINTS(kv ->
      new Forwarding(kv) {
        @Override
        public Watch watch(Bucket bucket, Prefix prefix, Watcher watcher) {
          return kv.watch(
              bucket,
              prefix,
              hint -> {
                if (!(hint instanceof Missed)) {
                  watcher.onHint(hint);
                }
              });
        }
      }),

  /// Ends all watches when a watcher throws, as a thread without a handler does.
  WATCHES_DIE_OF_A_WATCHER(kv -> {
    AtomicBoolean dead = new AtomicBoolean();
    return new Forwarding(kv) {
      @Override
      public Watch watch(Bucket bucket, Prefix prefix, Watcher watcher) {
        return kv.watch(
            bucket,
            prefix,
            hint -> {
              if (!dead.getAndSet(true)) {
                watcher.onHint(hint);
                dead.set(false);
              }
            });
      }
    };
  }),

  /// Reports the wall clock of any server that answers.
  CLOCK_GOES_BACK(kv -> {
    AtomicLong asked = new AtomicLong();
    return new Forwarding(kv) {
      @Override
      public StoreTime storeTime() {
        return new StoreTime(kv.storeTime().millis() - asked.incrementAndGet());
      }
    };
  });

  @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
  private final UnaryOperator<Kv> breaking;

  KvFlaw(UnaryOperator<Kv> breaking) {
    this.breaking = breaking;
  }

  public Kv applyTo(Kv kv) {
    return breaking.apply(kv);
  }

  private static Bucket lasting(Bucket bucket) {
    return new Bucket.Lasting(bucket.name());
  }

  /// Waits briefly for another writer that has checked and not yet written, so that the race occurs
  /// whatever the scheduler does.
  private static void meetAnother(Exchanger<Key> checked, Key key) {
    try {
      checked.exchange(key, 2, TimeUnit.MILLISECONDS);
    } catch (TimeoutException _) {
      return; // no other writer came
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted between check and write", e);
    }
  }

  private static class Forwarding implements ForwardingKv {
    private final Kv inner;

    Forwarding(Kv inner) {
      this.inner = inner;
    }

    @Override
    public Kv inner() {
      return inner;
    }
  }
}
