package keyfleet.member.heartbeat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.member.MembershipState;
import keyfleet.member.MembershipState.Admitted;
import keyfleet.member.Remedy;
import keyfleet.member.heartbeat.HeartbeatResult.Sealing;
import keyfleet.member.process.ProcessEvent;
import keyfleet.store.StoreException;
import org.jspecify.annotations.Nullable;

/// Reports what has changed from one round to the next as events. A round with the same result as
/// the one before reports nothing.
public final class MemberEventLog {
  private static final String LEASE_ENDED = "the store did not answer for the length of a lease";
  private static final String LEASE_REMEDY = "bring the store back; sealing then resumes by itself";

  /// What a process does while the fleet does not let it seal.
  public enum WithoutLease {
    OPENS_ONLY,
    /// A KMS plugin: an API server that cannot write stops, so it writes under its announced key.
    KEEPS_ANNOUNCED_KEY
  }

  private final String instance;
  private final KeyringName keyring;
  private final Consumer<ProcessEvent> eventSink;
  private final WithoutLease withoutLease;
  private boolean joined;
  private @Nullable HeartbeatResult lastResult;

  public MemberEventLog(
      String instance,
      KeyringName keyring,
      Consumer<ProcessEvent> eventSink,
      WithoutLease withoutLease) {
    this.instance = instance;
    this.keyring = keyring;
    this.eventSink = eventSink;
    this.withoutLease = withoutLease;
  }

  void report(HeartbeatResult now) {
    compare(lastResult, now).forEach(eventSink);
    lastResult = now;
  }

  void report(ProcessEvent event) {
    eventSink.accept(event);
  }

  public void reportJoined() {
    joined = true;
    report(ProcessEvent.info("joined the fleet of keyring " + keyring + " as " + instance));
  }

  /// A process that never joined does not leave.
  void reportLeft() {
    if (joined) {
      report(ProcessEvent.info("left the fleet of keyring " + keyring + " as " + instance));
    }
  }

  private List<ProcessEvent> compare(@Nullable HeartbeatResult before, HeartbeatResult now) {
    List<ProcessEvent> events = new ArrayList<>();
    compareStore(before, now, events);
    compareKeys(before, now, events);
    compareEpoch(before, now, events);
    compareSealing(before, now, events);
    return events;
  }

  private static void compareStore(
      @Nullable HeartbeatResult before, HeartbeatResult now, List<ProcessEvent> events) {
    boolean wasSilent = before != null && before.storeFailure() != null;
    StoreException storeFailure = now.storeFailure();
    if (storeFailure != null && !wasSilent) {
      events.add(storeUnreachable(storeFailure));
    }
    if (storeFailure == null && wasSilent) {
      events.add(ProcessEvent.info("the store answers again"));
    }
  }

  private static void compareKeys(
      @Nullable HeartbeatResult before, HeartbeatResult now, List<ProcessEvent> events) {
    List<String> faults = before == null ? List.of() : before.providerFaults();
    now.providerFaults().stream()
        .filter(it -> !faults.contains(it))
        .forEach(it -> events.add(ProcessEvent.warning("a key provider failed: " + it)));
    faults.stream()
        .filter(it -> !now.providerFaults().contains(it))
        .forEach(it ->
            events.add(ProcessEvent.info("a key provider works again; its failure was: " + it)));
    var loadedBefore = new TreeMap<KekVersion, String>();
    if (before != null) {
      loadedBefore.putAll(before.providerByVersion());
    }
    new TreeMap<>(now.providerByVersion())
        .forEach((version, provider) -> {
          if (!provider.equals(loadedBefore.remove(version))) {
            events.add(ProcessEvent.info("loaded " + version + " from " + provider));
          }
        });
    loadedBefore
        .keySet()
        .forEach(version -> events.add(ProcessEvent.info(version + " is no longer loaded")));
    Set<KekVersion> reported = before == null ? Set.of() : before.otherBytes().keySet();
    new TreeMap<>(now.otherBytes())
        .forEach((version, remedy) -> {
          if (!reported.contains(version)) {
            events.add(otherBytes(version, remedy));
          }
        });
  }

  private static ProcessEvent otherBytes(KekVersion version, String remedy) {
    return ProcessEvent.warning(
        "the key of %s that this process has loaded is not the fleet's: it has other bytes. Try: %s"
            .formatted(version, remedy));
  }

  private static void compareEpoch(
      @Nullable HeartbeatResult before, HeartbeatResult now, List<ProcessEvent> events) {
    Keystore oldKeystore = before == null ? null : before.state().trustedKeystore().orElse(null);
    Keystore newKeystore = now.state().trustedKeystore().orElse(null);
    if (oldKeystore != null && newKeystore != null && oldKeystore.epoch() != newKeystore.epoch()) {
      events.add(
          ProcessEvent.info(
              "the keystore went from epoch %d to %d: %s is active"
                  .formatted(oldKeystore.epoch(), newKeystore.epoch(), newKeystore.active())));
    }
  }

  private void compareSealing(
      @Nullable HeartbeatResult before, HeartbeatResult now, List<ProcessEvent> events) {
    ProcessEvent event = sealingEvent(now);
    if (before == null || !sealingEvent(before).equals(event)) {
      events.add(event);
    }
  }

  private ProcessEvent sealingEvent(HeartbeatResult result) {
    return switch (result.state()) {
      case Admitted(Keystore keystore, _) when result.sealing() == Sealing.ENABLED ->
          ProcessEvent.info("sealing under " + keystore.active() + " in epoch " + keystore.epoch());
      case Admitted _ -> sealingDisabled(LEASE_ENDED, LEASE_REMEDY);
      case MembershipState other ->
          sealingDisabled(Remedy.describe(other), Remedy.of(keyring, other));
    };
  }

  private ProcessEvent sealingDisabled(String reason, String remedy) {
    String effect =
        switch (withoutLease) {
          case OPENS_ONLY -> "cannot seal, can still open";
          case KEEPS_ANNOUNCED_KEY -> "still encrypts under the announced key, and follows no flip";
        };
    return ProcessEvent.warning(effect + ": " + reason + ". Try: " + remedy);
  }

  /// The process can still open, and can seal until its lease ends.
  static ProcessEvent storeUnreachable(StoreException failure) {
    return ProcessEvent.warning("the store does not answer: " + failure.getMessage());
  }
}
