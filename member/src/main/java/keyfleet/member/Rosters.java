package keyfleet.member;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Roster;
import keyfleet.keyring.Timings;
import keyfleet.store.Bucket;
import keyfleet.store.Document;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.Revision;

/// The heartbeats of one keyring's processes, in the store.
public final class Rosters {
  private record Read(Key key, Revision revision, Heartbeat beat) {}

  /// A fleet so large is read by all cores.
  private static final int LARGE = 1_000;

  private final Kv kv;
  private final KeyringName keyring;

  /// Whoever looks often finds most beats as they were. Replaced as a whole.
  private volatile Map<Key, Read> last = Map.of();

  public Rosters(Kv kv, KeyringName keyring) {
    this.kv = kv;
    this.keyring = keyring;
  }

  /// A bucket has one lifetime for good. Keyrings of other timings may share the store, so theirs
  /// is another bucket.
  static Bucket.Expiring bucket(Timings timings) {
    Duration lifetime = timings.expire();
    String name =
        lifetime.equals(Timings.DEFAULT.expire())
            ? "process_heartbeats"
            : "process_heartbeats_" + lifetime.toMillis() + "ms";
    return new Bucket.Expiring(name, lifetime);
  }

  static Key key(KeyringName keyring, String instance) {
    return new Key(keyring.value() + "." + SafeKey.word(instance));
  }

  /// Whoever was heard of within the expiry time. One heartbeat that cannot be read makes the whole
  /// roster unreadable: the process behind it may be a laggard.
  public Roster read(Timings timings) {
    List<Entry> found = kv.list(bucket(timings), Prefix.under(new Key(keyring.value())));
    Stream<Entry> entries = found.size() < LARGE ? found.stream() : found.parallelStream();
    List<Read> read = entries.map(this::read).toList();
    Map<Key, Read> now = HashMap.newHashMap(read.size());
    read.forEach(it -> now.put(it.key(), it));
    last = now;
    List<Heartbeat> beats = read.stream().map(Read::beat).toList();
    return new Roster(beats, HeartbeatDocument.instant(kv.storeTime()));
  }

  private Read read(Entry entry) {
    Read known = last.get(entry.key());
    return known != null && known.revision().equals(entry.revision())
        ? known
        : new Read(
            entry.key(),
            entry.revision(),
            HeartbeatDocument.read(Document.parse(entry.value()), entry.writtenAt()));
  }
}
