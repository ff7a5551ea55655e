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

/// Reports what has changed from one round to the next as events. A round with the same result as
/// the one before reports nothing.
public final class MemberEventLog {
  private static final String LEASE_ENDED = "the store did not answer for the length of a lease";
  private static final String LEASE_REMEDY = "bring the store back; sealing then resumes by itself";

  private final String instance;
  private final KeyringName keyring;
  private final Consumer<MemberEvent> eventSink;
  private boolean joined;
  private @Nullable HeartbeatResult lastResult;

  public MemberEventLog(String instance, KeyringName keyring, Consumer<MemberEvent> eventSink) {
    this.instance = instance;
    this.keyring = keyring;
    this.eventSink = eventSink;
  }

  void report(HeartbeatResult now) {
    compare(lastResult, now).forEach(eventSink);
    lastResult = now;
  }

  void report(MemberEvent event) {
    eventSink.accept(event);
  }

  public void reportJoined() {
    joined = true;
    report(new Joined(instance, keyring));
  }

  /// A process that never joined does not leave.
  void reportLeft() {
    if (joined) {
      report(new Left(instance, keyring));
    }
  }

  private List<MemberEvent> compare(@Nullable HeartbeatResult before, HeartbeatResult now) {
    List<MemberEvent> events = new ArrayList<>();
    compareStore(before, now, events);
    compareKeys(before, now, events);
    compareEpoch(before, now, events);
    compareSealing(before, now, events);
    return events;
  }

  private static void compareStore(
      @Nullable HeartbeatResult before, HeartbeatResult now, List<MemberEvent> events) {
    boolean wasSilent = before != null && before.storeFailure() != null;
    StoreException storeFailure = now.storeFailure();
    if (storeFailure != null && !wasSilent) {
      events.add(new StoreUnreachable(storeFailure.getMessage()));
    }
    if (storeFailure == null && wasSilent) {
      events.add(new StoreRecovered());
    }
  }

  private static void compareKeys(
      @Nullable HeartbeatResult before, HeartbeatResult now, List<MemberEvent> events) {
    List<String> faults = before == null ? List.of() : before.providerFaults();
    now.providerFaults().stream()
        .filter(it -> !faults.contains(it))
        .forEach(it -> events.add(new ProviderFailed(it)));
    faults.stream()
        .filter(it -> !now.providerFaults().contains(it))
        .forEach(it -> events.add(new ProviderRecovered(it)));
    var loadedBefore = new TreeMap<KekVersion, String>();
    if (before != null) {
      loadedBefore.putAll(before.providerByVersion());
    }
    new TreeMap<>(now.providerByVersion())
        .forEach((version, provider) -> {
          if (!provider.equals(loadedBefore.remove(version))) {
            events.add(new KeyLoaded(version, provider));
          }
        });
    loadedBefore.keySet().forEach(version -> events.add(new KeyUnloaded(version)));
  }

  private static void compareEpoch(
      @Nullable HeartbeatResult before, HeartbeatResult now, List<MemberEvent> events) {
    Keystore oldKeystore = before == null ? null : keystore(before.state()).orElse(null);
    Keystore newKeystore = keystore(now.state()).orElse(null);
    if (oldKeystore != null && newKeystore != null && oldKeystore.epoch() != newKeystore.epoch()) {
      events.add(new EpochChanged(oldKeystore.epoch(), newKeystore.epoch(), newKeystore.active()));
    }
  }

  private void compareSealing(
      @Nullable HeartbeatResult before, HeartbeatResult now, List<MemberEvent> events) {
    MemberEvent event = sealingEvent(now);
    if (before == null || !sealingEvent(before).equals(event)) {
      events.add(event);
    }
  }

  private MemberEvent sealingEvent(HeartbeatResult result) {
    return switch (result.state()) {
      case Admitted(Keystore keystore, _) when result.sealing() == Sealing.ENABLED ->
          new SealingEnabled(keystore.active(), keystore.epoch());
      case Admitted _ -> new SealingDisabled(LEASE_ENDED, LEASE_REMEDY);
      case MembershipState other ->
          new SealingDisabled(Remedy.describe(other), Remedy.of(keyring, other));
    };
  }

  private static Optional<Keystore> keystore(MembershipState state) {
    return switch (state) {
      case Admitted(Keystore keystore, _) -> Optional.of(keystore);
      case ReadOnly(Keystore keystore, _) -> Optional.of(keystore);
      default -> Optional.empty();
    };
  }
}
