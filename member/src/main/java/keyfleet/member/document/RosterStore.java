package keyfleet.member.document;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Roster;
import keyfleet.keyring.Timings;
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;

/// Reads the roster: the heartbeats of one keyring's processes in the store.
public final class RosterStore {
  private final Kv kv;
  private final KeyringName keyring;

  public RosterStore(Kv kv, KeyringName keyring) {
    this.kv = kv;
    this.keyring = keyring;
  }

  /// The lifetime of a bucket never changes. Keyrings with different timings may share a store, so
  /// each lifetime has its own bucket.
  public static Bucket.Expiring bucket(Timings timings) {
    Duration lifetime = timings.expire();
    String name =
        lifetime.equals(Timings.DEFAULT.expire())
            ? "process_heartbeats"
            : "process_heartbeats_" + lifetime.toMillis() + "ms";
    return new Bucket.Expiring(name, lifetime);
  }

  public static Key key(KeyringName keyring, String instance) {
    return new Key(keyring.value() + "." + KeyEscaper.escape(instance));
  }

  /// Deletes the last heartbeat of a process that is silent.
  public void delete(Timings timings, String instance) {
    Key key = key(keyring, instance);
    kv.get(bucket(timings), key)
        .ifPresent(it -> {
          var _ = kv.delete(bucket(timings), key, it.revision());
        });
  }

  /// A roster that was processed in batches and is not kept as a whole.
  ///
  /// @param batches the results of the full batches, in the order of the roster
  /// @param remainder the heartbeats after the last full batch
  public record BatchedRoster<T>(List<T> batches, Roster remainder) {}

  /// Reads every heartbeat that has not expired. One heartbeat that cannot be read makes the whole
  /// roster unreadable: its process may be a laggard.
  public Roster read(Timings timings) {
    BatchedRoster<List<Heartbeat>> batched = read(timings, (beats, _) -> beats);
    List<Heartbeat> all = new ArrayList<>();
    batched.batches().forEach(all::addAll);
    all.addAll(batched.remainder().heartbeats());
    return new Roster(all, batched.remainder().storeTime());
  }

  /// Reads a large roster in batches. Several threads call `processBatch`, once for each batch,
  /// with the time of the latest heartbeat up to the end of the batch.
  public <T> BatchedRoster<T> read(
      Timings timings, BiFunction<List<Heartbeat>, Instant, T> processBatch) {
    RosterParser<T> parser = new RosterParser<>(processBatch);
    kv.list(bucket(timings), Prefix.under(new Key(keyring.value())), parser::add);
    List<T> batches = parser.awaitBatches();
    List<Heartbeat> remainder = parser.remainder();
    return new BatchedRoster<>(
        batches, new Roster(remainder, HeartbeatDocument.toInstant(kv.storeTime())));
  }
}
