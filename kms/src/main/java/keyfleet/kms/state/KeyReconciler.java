package keyfleet.kms.state;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Keystore.Activation;
import keyfleet.kms.KmsKeyId;
import keyfleet.kms.PluginContext;
import keyfleet.kms.PluginException;
import keyfleet.kms.localkek.LocalKek;
import keyfleet.kms.localkek.LocalKekLimits;
import keyfleet.kms.localkek.LocalKekLimits.Lifetime;
import keyfleet.kms.state.Announcement.KnownKeyId;
import keyfleet.kms.state.Announcement.LocalWriteKey;
import keyfleet.kms.state.Announcement.NoWriteKey;
import keyfleet.kms.state.Announcement.RemoteWriteKey;
import keyfleet.kms.state.Announcement.WriteKey;
import keyfleet.kms.state.WriteKeyProvisioner.NotProvisioned;
import keyfleet.kms.state.WriteKeyProvisioner.Provisioned;
import keyfleet.member.MembershipState;
import keyfleet.member.process.ProcessEvent;
import org.jspecify.annotations.Nullable;

/// Keeps the plugin in step with its fleet and able to write: adopts new keystores, has local KEKs
/// made and replaced in time, and probes the remote. One thread calls [#reconcile]; no call of an
/// API server waits for it.
public final class KeyReconciler {
  /// The settings of a reconciler.
  ///
  /// @param probeInterval how often the remote is tried
  public record Settings(LocalKekLimits limits, Duration probeInterval) {}

  /// The time between two calls of [#reconcile], unless something happens.
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /// The pause after a call that could not write the snapshot.
  private static final Duration RETRY_PAUSE = Duration.ofSeconds(5);

  private final Supplier<Optional<MembershipState>> fleet;
  private final AnnouncementStore announcements;
  private final WriteKeyProvisioner provisioner;
  private final Settings settings;
  private final PluginContext context;

  private RetryBackoff provisionBackoff;
  private long probedAtNanos;
  private volatile boolean remoteUp = true;

  /// Why the plugin may not write, until it reads another keystore.
  private @Nullable CallRefusal contradiction;

  private volatile Set<KekVersion> candidates = Set.of();
  private String lastReportedFailure = "";
  private String lastUpdateFailure = "";
  private String lastIgnoredReason = "";
  private List<String> providerFaults = List.of();

  /// @param fleet the state of this plugin as a member; empty until it has joined
  public KeyReconciler(
      Supplier<Optional<MembershipState>> fleet,
      AnnouncementStore announcements,
      WriteKeyProvisioner provisioner,
      Settings settings,
      PluginContext context) {
    this.fleet = fleet;
    this.announcements = announcements;
    this.provisioner = provisioner;
    this.settings = settings;
    this.context = context;
    this.provisionBackoff = RetryBackoff.ready(now());
    this.probedAtNanos = now();
  }

  /// Does what is due. Returns the time to wait until the next call.
  public Duration reconcile() {
    try {
      followFleet();
      lastUpdateFailure = "";
      return PAUSE;
    } catch (PluginException e) {
      if (!e.getMessage().equals(lastUpdateFailure)) {
        lastUpdateFailure = e.getMessage();
        warn("cannot update the announced key and will try again: " + e.getMessage());
      }
      return RETRY_PAUSE;
    }
  }

  private void followFleet() {
    Optional<MembershipState> state = fleet.get();
    if (state.isEmpty()) {
      refreshKeys();
    }
    state.flatMap(MembershipState::trustedKeystore).ifPresent(this::adoptKeystore);
    PluginSnapshot snapshot = announcements.snapshot();
    if (snapshot != null) {
      ensureWriteKey(snapshot);
      probeRemote(snapshot);
      updateCandidates(snapshot);
    }
  }

  private long now() {
    return context.clock().getAsLong();
  }

  private void info(String message) {
    context.events().accept(ProcessEvent.info(message));
  }

  private void warn(String message) {
    context.events().accept(ProcessEvent.warning(message));
  }

  public boolean isRemoteUp() {
    return remoteUp;
  }

  /// Only before the plugin joins: its member refreshes them then.
  private void refreshKeys() {
    List<String> faults = provisioner.keys().refresh();
    faults.stream()
        .filter(it -> !providerFaults.contains(it))
        .forEach(it -> warn("key provider unavailable: " + it));
    providerFaults = faults;
  }

  private void adoptKeystore(Keystore read) {
    PluginSnapshot snapshot = announcements.snapshot();
    contradiction = null;
    switch (snapshot == null ? PluginSnapshot.checkFirst(read) : snapshot.compareWith(read)) {
      case PluginSnapshot.SameOrNewer() -> {
        lastIgnoredReason = "";
        if (snapshot == null || !snapshot.keystore().equals(read)) {
          announcements.adoptKeystore(read);
          provisionBackoff =
              RetryBackoff.ready(now()); // what failed before may no longer be wanted
        }
      }
      case PluginSnapshot.StoreBehind(String reason) -> reportIgnored(reason);
      case PluginSnapshot.HistoryDiverged(String reason) -> stopOnContradiction(reason);
      case PluginSnapshot.WrongUse(String reason) -> stopOnContradiction(reason);
    }
  }

  private void reportIgnored(String reason) {
    if (!reason.equals(lastIgnoredReason)) {
      lastIgnoredReason = reason;
      warn("ignoring the keystore in the store: " + reason);
    }
  }

  private void stopOnContradiction(String reason) {
    reportIgnored(reason);
    contradiction = CallRefusal.actionRequired(reason);
    announcements.stopWrites(contradiction);
  }

  private void ensureWriteKey(PluginSnapshot snapshot) {
    if (contradiction != null) {
      return;
    }
    WriteKey writeKey = announcements.get().writeKey();
    Optional<CallRefusal> stop = reasonToStop(writeKey);
    stop.ifPresent(announcements::stopWrites);
    boolean writes = stop.isEmpty() && !(writeKey instanceof NoWriteKey);
    boolean isUpToDate =
        writes
            && snapshot.announced().equals(snapshot.fleetActivation())
            && !isReplacementDue(writeKey);
    if (!isUpToDate && provisionBackoff.isDue(now())) {
      replaceWriteKey(snapshot, writes);
    }
  }

  /// Why the plugin must stop writing under its write key, if it must.
  private Optional<CallRefusal> reasonToStop(WriteKey writeKey) {
    if (writeKey instanceof LocalWriteKey(_, LocalKek kek) && !kek.passesSelfCheck()) {
      return Optional.of(CallRefusal.LOCAL_KEK_UNUSABLE);
    }
    KmsKeyId keyId = AnnouncementStore.keyId(writeKey);
    KnownKeyId knownKeyId =
        keyId == null ? null : announcements.get().knownKeyIds().get(keyId.text());
    if (knownKeyId == null) {
      return Optional.empty();
    }
    if (!knownKeyId.state().isProofRequired()) {
      return Optional.of(
          CallRefusal.actionRequired(
              "%s, under which this plugin writes, is %s"
                  .formatted(knownKeyId.version(), knownKeyId.state())));
    }
    if (provisioner.keys().find(knownKeyId.version()).isEmpty()) {
      return Optional.of(
          CallRefusal.unavailable(knownKeyId.version() + " is no longer loaded in this plugin"));
    }
    return Optional.empty();
  }

  private boolean isReplacementDue(WriteKey writeKey) {
    return switch (writeKey) {
      case LocalWriteKey(_, LocalKek kek) -> lifetime(kek) != Lifetime.FRESH;
      case RemoteWriteKey _, NoWriteKey _ -> false;
    };
  }

  private Lifetime lifetime(LocalKek kek) {
    Duration age = Duration.ofNanos(now() - kek.createdAtNanos());
    Lifetime lifetime = settings.limits().lifetime(kek.uses(), age);
    if (lifetime == Lifetime.EXHAUSTED) {
      kek.markExhausted();
    }
    return lifetime;
  }

  private void replaceWriteKey(PluginSnapshot snapshot, boolean writes) {
    Optional<CallRefusal> failure = tryProvision(snapshot, snapshot.fleetActivation());
    if (failure.isPresent()
        && !writes
        && !snapshot.announced().equals(snapshot.fleetActivation())) {
      failure = tryProvision(snapshot, snapshot.announced());
    }
    if (failure.isEmpty()) {
      provisionBackoff = RetryBackoff.ready(now());
      remoteUp = true;
      lastReportedFailure = "";
      return;
    }
    provisionBackoff = provisionBackoff.afterFailure(now());
    remoteUp = false;
    String reason = failure.get().message();
    if (!reason.equals(lastReportedFailure)) {
      lastReportedFailure = reason;
      warn("cannot write under the fleet's active key and will try again: " + reason);
    }
    if (!writes) {
      announcements.stopWrites(failure.get());
    }
  }

  /// Makes the plugin write under `activation`. Returns nothing on success.
  private Optional<CallRefusal> tryProvision(PluginSnapshot snapshot, Activation activation) {
    WriteKey before = announcements.get().writeKey();
    return switch (provisioner.provision(snapshot.keystore(), activation)) {
      case Provisioned(WriteKey now) -> {
        announcements.announce(snapshot, activation, now);
        provisioner.keepInCache(now);
        reportReplaced(before, now);
        yield Optional.empty();
      }
      case NotProvisioned(CallRefusal refusal) -> Optional.of(refusal);
    };
  }

  private void reportReplaced(WriteKey before, WriteKey now) {
    if (before instanceof LocalWriteKey(KmsKeyId was, LocalKek old)
        && now instanceof LocalWriteKey(KmsKeyId is, _)
        && was.equals(is)) {
      info(
          "replaced the local KEK of key_id hash %s after %d values"
              .formatted(is.hash(), old.uses()));
    }
  }

  /// With local KEKs, Status still answers while the remote does not. Without them it refuses.
  private void probeRemote(PluginSnapshot snapshot) {
    long now = now();
    if (Duration.ofNanos(now - probedAtNanos).compareTo(settings.probeInterval()) < 0) {
      return;
    }
    probedAtNanos = now;
    KekVersion version = snapshot.announced().version();
    boolean up = provisioner.isRemoteAnswering(snapshot.keystore(), version);
    if (up != remoteUp) {
      remoteUp = up;
      if (up) {
        info("key provider answers again");
      } else {
        warn("key provider unavailable: " + version + " does not wrap and unwrap");
      }
    }
    if (!up && announcements.get().writeKey() instanceof RemoteWriteKey) {
      announcements.stopWrites(
          CallRefusal.unavailable("the key provider does not answer, and every call needs it"));
    }
  }

  /// Finds the versions that the provider has and that are newer than all that the fleet knows.
  private void updateCandidates(PluginSnapshot snapshot) {
    KekVersion newest = snapshot.keystore().versions().lastKey();
    Set<KekVersion> now =
        provisioner.keys().providerByVersion().keySet().stream()
            .filter(it -> it.compareTo(newest) > 0)
            .collect(Collectors.toUnmodifiableSet());
    now.stream()
        .filter(it -> !candidates.contains(it))
        .forEach(it ->
            info(
                "the provider has %s, which is not announced: a candidate. Try: keyfleet kek announce --version=%d --keyring=%s"
                    .formatted(it, it.number(), provisioner.keys().keyring())));
    candidates = now;
  }

  /// The number of candidates, for the metrics.
  public int candidateCount() {
    return candidates.size();
  }
}
