package keyfleet.member;

import java.util.List;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Roster;
import keyfleet.keyring.Timings;
import keyfleet.store.Bucket;
import keyfleet.store.Document;
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

  static Bucket.Expiring bucket(Timings timings) {
    return new Bucket.Expiring("process_heartbeats", timings.expire());
  }

  static Key key(KeyringName keyring, String instance) {
    return new Key(keyring.value() + "." + SafeKey.word(instance));
  }

  /// Whoever was heard of within the expiry time. One heartbeat that cannot be read makes the whole
  /// roster unreadable: the process behind it may be a laggard.
  public Roster read(Timings timings) {
    List<Heartbeat> beats =
        kv.list(bucket(timings), Prefix.under(new Key(keyring.value()))).stream()
            .map(it -> HeartbeatDocument.read(Document.parse(it.value()), it.writtenAt()))
            .toList();
    return new Roster(beats, HeartbeatDocument.instant(kv.storeTime()));
  }
}
