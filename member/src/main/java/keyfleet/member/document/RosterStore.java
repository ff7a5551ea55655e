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

/// The heartbeats of one keyring's processes, in the store.
public final class RosterStore {
  private final Kv kv;
  private final KeyringName keyring;

  public RosterStore(Kv kv, KeyringName keyring) {
    this.kv = kv;
    this.keyring = keyring;
  }

  /// A bucket has one lifetime for good. Keyrings of other timings may share the store, so theirs
  /// is another bucket.
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

  /// A roster that is not kept as a whole.
  ///
  /// @param parts what was made of most of it, in its order
  /// @param rest the end of it, which was too short for a part
  public record BatchedRoster<T>(List<T> batches, Roster remainder) {}

  /// Whoever was heard of within the expiry time. One heartbeat that cannot be read makes the whole
  /// roster unreadable: the process behind it may be a laggard.
  public Roster read(Timings timings) {
    BatchedRoster<List<Heartbeat>> batched = read(timings, (beats, _) -> beats);
    List<Heartbeat> all = new ArrayList<>();
    batched.batches().forEach(all::addAll);
    all.addAll(batched.remainder().heartbeats());
    return new Roster(all, batched.remainder().storeTime());
  }

  /// The same, with `making` called for each part of a large roster, by several threads at once. It
  /// is also told the latest beat up to the end of its part.
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
