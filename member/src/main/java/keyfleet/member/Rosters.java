package keyfleet.member;

import java.time.Duration;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Roster;
import keyfleet.keyring.Timings;
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;

/// The heartbeats of one keyring's processes, in the store.
public final class Rosters {
  private final Kv kv;
  private final KeyringName keyring;

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
    RollCall call = new RollCall();
    kv.list(bucket(timings), Prefix.under(new Key(keyring.value())), call::add);
    return new Roster(call.heartbeats(), HeartbeatDocument.instant(kv.storeTime()));
  }
}
