package keyfleet.cli.doctor;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.Console;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Roster;
import keyfleet.member.DurationText;
import keyfleet.member.document.KeystoreStore;
import keyfleet.member.document.KeystoreStore.StoredKeystore;
import keyfleet.member.document.RosterStore;
import keyfleet.store.Kv;
import keyfleet.store.MalformedValueException;
import keyfleet.store.engine.StoreCheck;

/// Whether the store's clock has stepped back: then heartbeats are in its future. A process that
/// runs replaces its own with the next beat, so what stays is of processes that have ended.
final class HeartbeatClockCheck {
  private static final int MAX_NAMED = 5;

  private record Ahead(KeyringName keyring, Heartbeat heartbeat, Duration by) {}

  private HeartbeatClockCheck() {}

  static StoreCheck run(Kv kv) {
    List<Ahead> all = new ArrayList<>();
    int unreadable = 0;
    for (Map.Entry<KeyringName, StoredKeystore> entry : KeystoreStore.list(kv).entrySet()) {
      try {
        all.addAll(findAhead(kv, entry.getKey(), entry.getValue().keystore()));
      } catch (MalformedValueException e) {
        unreadable++;
      }
    }
    if (!all.isEmpty()) {
      return describe(all);
    }
    return unreadable == 0
        ? StoreCheck.ok("no heartbeat is in the future of the store's clock")
        : StoreCheck.warn(
            "the heartbeats of %d keyrings cannot be read".formatted(unreadable),
            "keyfleet keyring list");
  }

  private static List<Ahead> findAhead(Kv kv, KeyringName keyring, Keystore keystore) {
    Roster roster = new RosterStore(kv, keyring).read(keystore.timings());
    return roster.ahead().stream()
        .map(it -> new Ahead(keyring, it, between(roster.storeTime(), it.writtenAt())))
        .toList();
  }

  private static Duration between(Instant storeTime, Instant writtenAt) {
    return Duration.ofSeconds(Duration.between(storeTime, writtenAt).toSeconds());
  }

  private static StoreCheck describe(List<Ahead> all) {
    Duration most = all.stream().map(Ahead::by).max(Duration::compareTo).orElseThrow();
    String names =
        String.join(
            ", ",
            all.stream()
                .limit(MAX_NAMED)
                .map(it -> Console.sanitize(it.heartbeat().instance()))
                .toList());
    Ahead first = all.getFirst();
    return StoreCheck.warn(
        "the store's clock has stepped back by %s or more: %d heartbeats are in its future (%s); none counts as fresh"
            .formatted(
                DurationText.format(most),
                all.size(),
                all.size() > MAX_NAMED ? names + " and more" : names),
        "keyfleet kek forget --instance=%s%s"
            .formatted(first.heartbeat().instance(), KeyOptions.keyringFlag(first.keyring())));
  }
}
