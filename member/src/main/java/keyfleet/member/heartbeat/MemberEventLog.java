package keyfleet.member.heartbeat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.member.MemberEvent;
import keyfleet.member.MemberEvent.EpochChanged;
import keyfleet.member.MemberEvent.Joined;
import keyfleet.member.MemberEvent.KeyLoaded;
import keyfleet.member.MemberEvent.KeyUnloaded;
import keyfleet.member.MemberEvent.Left;
import keyfleet.member.MemberEvent.ProviderFailed;
import keyfleet.member.MemberEvent.ProviderRecovered;
import keyfleet.member.MemberEvent.SealingDisabled;
import keyfleet.member.MemberEvent.SealingEnabled;
import keyfleet.member.MemberEvent.StoreRecovered;
import keyfleet.member.MemberEvent.StoreUnreachable;
import keyfleet.member.MembershipState;
import keyfleet.member.MembershipState.Admitted;
import keyfleet.member.MembershipState.ReadOnly;
import keyfleet.member.Remedy;
import keyfleet.member.heartbeat.HeartbeatResult.Sealing;
import keyfleet.store.StoreException;
import org.jspecify.annotations.Nullable;

/// What is worth a line when one round follows another. A function of the two: a round like the one
/// before is worth none.
public final class MemberEventLog {
  private static final String LEASE_END = "the store did not answer for the length of a lease";
  private static final String LEASE_REMEDY = "bring the store back; sealing goes on by itself";

  private final String instance;
  private final KeyringName keyring;
  private final Consumer<MemberEvent> reader;
  private boolean joined;
  private @Nullable HeartbeatResult last;

  public MemberEventLog(String instance, KeyringName keyring, Consumer<MemberEvent> reader) {
    this.instance = instance;
    this.keyring = keyring;
    this.reader = reader;
  }

  void note(HeartbeatResult now) {
    between(last, now).forEach(reader);
    last = now;
  }

  void note(MemberEvent event) {
    reader.accept(event);
  }

  public void joined() {
    joined = true;
    note(new Joined(instance, keyring));
  }

  /// Who never joined does not leave.
  void left() {
    if (joined) {
      note(new Left(instance, keyring));
    }
  }

  private List<MemberEvent> between(@Nullable HeartbeatResult before, HeartbeatResult now) {
    List<MemberEvent> events = new ArrayList<>();
    store(before, now, events);
    keys(before, now, events);
    epoch(before, now, events);
    sealing(before, now, events);
    return events;
  }

  private static void store(
      @Nullable HeartbeatResult before, HeartbeatResult now, List<MemberEvent> events) {
    boolean wasSilent = before != null && before.silence() != null;
    StoreException silence = now.silence();
    if (silence != null && !wasSilent) {
      events.add(new StoreUnreachable(silence.getMessage()));
    }
    if (silence == null && wasSilent) {
      events.add(new StoreRecovered());
    }
  }

  private static void keys(
      @Nullable HeartbeatResult before, HeartbeatResult now, List<MemberEvent> events) {
    List<String> faults = before == null ? List.of() : before.keyFaults();
    now.keyFaults().stream()
        .filter(it -> !faults.contains(it))
        .forEach(it -> events.add(new ProviderFailed(it)));
    faults.stream()
        .filter(it -> !now.keyFaults().contains(it))
        .forEach(it -> events.add(new ProviderRecovered(it)));
    var held = new TreeMap<KekVersion, String>();
    if (before != null) {
      held.putAll(before.held());
    }
    new TreeMap<>(now.held())
        .forEach((version, provider) -> {
          if (!provider.equals(held.remove(version))) {
            events.add(new KeyLoaded(version, provider));
          }
        });
    held.keySet().forEach(version -> events.add(new KeyUnloaded(version)));
  }

  private static void epoch(
      @Nullable HeartbeatResult before, HeartbeatResult now, List<MemberEvent> events) {
    Keystore was = before == null ? null : keystore(before.standing()).orElse(null);
    Keystore is = keystore(now.standing()).orElse(null);
    if (was != null && is != null && was.epoch() != is.epoch()) {
      events.add(new EpochChanged(was.epoch(), is.epoch(), is.active()));
    }
  }

  private void sealing(
      @Nullable HeartbeatResult before, HeartbeatResult now, List<MemberEvent> events) {
    MemberEvent is = sealing(now);
    if (before == null || !sealing(before).equals(is)) {
      events.add(is);
    }
  }

  private MemberEvent sealing(HeartbeatResult round) {
    return switch (round.standing()) {
      case Admitted(Keystore keystore, _) when round.sealing() == Sealing.OPEN ->
          new SealingEnabled(keystore.active(), keystore.epoch());
      case Admitted _ -> new SealingDisabled(LEASE_END, LEASE_REMEDY);
      case MembershipState other ->
          new SealingDisabled(Remedy.sentence(other), Remedy.of(keyring, other));
    };
  }

  private static Optional<Keystore> keystore(MembershipState standing) {
    return switch (standing) {
      case Admitted(Keystore keystore, _) -> Optional.of(keystore);
      case ReadOnly(Keystore keystore, _) -> Optional.of(keystore);
      default -> Optional.empty();
    };
  }
}
