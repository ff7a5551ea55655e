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
import keyfleet.kms.PluginEvent;
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
import org.jspecify.annotations.Nullable;

/// Keeps a plugin able to write: takes over what its fleet decides, has local KEKs made and
/// replaced in time, and tries the remote now and then. One thread turns it; nobody who calls the
/// plugin waits for it.
public final class KeyReconciler {
  /// @param probe after this long the remote is tried again
  public record Settings(LocalKekLimits limits, Duration probeInterval) {}

  /// Between two turns, unless something happens.
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Supplier<FleetState> fleet;
  private final AnnouncementStore announcements;
  private final WriteKeyProvisioner provisioner;
  private final Settings settings;
  private final PluginContext context;

  private RetryBackoff provisionBackoff;
  private long probedAtNanos;
  private volatile boolean remoteUp = true;

  /// Why nothing may be written, until the store says otherwise.
  private @Nullable CallRefusal contradiction;

  private volatile Set<KekVersion> candidates = Set.of();
  private String lastReportedFailure = "";
  private String lastIgnoredReason = "";
  private List<String> providerFaults = List.of();

  public KeyReconciler(
      Supplier<FleetState> fleet,
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

  /// Does what is due. Returns after what time the next turn is.
  public Duration reconcile() {
    switch (fleet.get()) {
      case FleetState.NotJoined() -> refreshKeys();
      case FleetState.KeystoreUnavailable() -> {}
      case FleetState.KeystoreAvailable(Keystore keystore) -> adoptKeystore(keystore);
    }
    PluginSnapshot known = announcements.pluginSnapshot();
    if (known != null) {
      ensureWriteKey(known);
      probeRemote(known);
      updateCandidates(known);
    }
    return PAUSE;
  }

  private long now() {
    return context.clock().getAsLong();
  }

  private void report(PluginEvent event) {
    context.events().accept(event);
  }

  public boolean isRemoteUp() {
    return remoteUp;
  }

  private void refreshKeys() {
    List<String> faults = provisioner.refresh();
    faults.stream()
        .filter(it -> !providerFaults.contains(it))
        .forEach(it -> report(new PluginEvent.ProviderUnavailable(it)));
    providerFaults = faults;
  }

  private void adoptKeystore(Keystore read) {
    PluginSnapshot known = announcements.pluginSnapshot();
    contradiction = null;
    switch (known == null ? PluginSnapshot.checkFirst(read) : known.compareWith(read)) {
      case PluginSnapshot.SameOrNewer() -> {
        lastIgnoredReason = "";
        if (known == null || !known.keystore().equals(read)) {
          announcements.adoptKeystore(read);
          provisionBackoff = RetryBackoff.ready(now()); // what failed before may be wanted no more
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
      report(new PluginEvent.KeystoreIgnored(reason));
    }
  }

  private void stopOnContradiction(String reason) {
    reportIgnored(reason);
    contradiction = CallRefusal.actionRequired(reason);
    announcements.stopWrites(contradiction);
  }

  private void ensureWriteKey(PluginSnapshot known) {
    if (contradiction != null) {
      return;
    }
    WriteKey writeKey = announcements.get().writeKey();
    Optional<CallRefusal> end = reasonToStop(writeKey);
    end.ifPresent(announcements::stopWrites);
    boolean writes = end.isEmpty() && !(writeKey instanceof NoWriteKey);
    boolean asWanted =
        writes && known.announced().equals(known.wanted()) && !isReplacementDue(writeKey);
    if (!asWanted && provisionBackoff.isDue(now())) {
      replaceWriteKey(known, writes);
    }
  }

  /// Why what is being written under must not be used any more, if so.
  private Optional<CallRefusal> reasonToStop(WriteKey writeKey) {
    KmsKeyId kmsKeyId = AnnouncementStore.keyId(writeKey);
    KnownKeyId knownKeyId =
        kmsKeyId == null ? null : announcements.get().knownKeyIds().get(kmsKeyId.text());
    if (knownKeyId == null) {
      return Optional.empty();
    }
    if (!knownKeyId.state().isProofRequired()) {
      return Optional.of(
          CallRefusal.actionRequired(
              "%s, under which this plugin writes, is %s"
                  .formatted(knownKeyId.version(), knownKeyId.state())));
    }
    if (!provisioner.hasKey(knownKeyId.version())) {
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
    Lifetime wear = settings.limits().lifetime(kek.uses(), age);
    if (wear == Lifetime.EXHAUSTED) {
      kek.markExhausted();
    }
    return wear;
  }

  private void replaceWriteKey(PluginSnapshot known, boolean writes) {
    Optional<CallRefusal> failure = tryProvision(known, known.wanted());
    if (failure.isPresent() && !writes && !known.announced().equals(known.wanted())) {
      failure = tryProvision(known, known.announced());
    }
    if (failure.isEmpty()) {
      provisionBackoff = RetryBackoff.ready(now());
      remoteUp = true;
      lastReportedFailure = "";
      return;
    }
    provisionBackoff = provisionBackoff.afterFailure(now());
    remoteUp = false;
    String why = failure.get().message();
    if (!why.equals(lastReportedFailure)) {
      lastReportedFailure = why;
      report(new PluginEvent.WriteKeyUnavailable(why));
    }
    if (!writes) {
      announcements.stopWrites(failure.get());
    }
  }

  /// Nothing if the plugin writes under `activation` from here on.
  private Optional<CallRefusal> tryProvision(PluginSnapshot known, Activation activation) {
    WriteKey before = announcements.get().writeKey();
    return switch (provisioner.provision(known.keystore(), activation)) {
      case Provisioned(WriteKey now) -> {
        announcements.announce(known, activation, now);
        reportReplaced(before, now);
        yield Optional.empty();
      }
      case NotProvisioned(CallRefusal why) -> Optional.of(why);
    };
  }

  private void reportReplaced(WriteKey before, WriteKey now) {
    if (before instanceof LocalWriteKey(KmsKeyId was, LocalKek old)
        && now instanceof LocalWriteKey(KmsKeyId is, _)
        && was.equals(is)) {
      report(new PluginEvent.LocalKekReplaced(is.hash(), old.uses()));
    }
  }

  /// With local KEKs an outage of the remote is no trouble of Status yet. Without them it is.
  private void probeRemote(PluginSnapshot known) {
    long now = now();
    if (Duration.ofNanos(now - probedAtNanos).compareTo(settings.probeInterval()) < 0) {
      return;
    }
    probedAtNanos = now;
    KekVersion version = known.announced().version();
    boolean up = provisioner.isRemoteAnswering(known.keystore(), version);
    if (up != remoteUp) {
      remoteUp = up;
      report(
          up
              ? new PluginEvent.ProviderRecovered()
              : new PluginEvent.ProviderUnavailable(version + " does not wrap and unwrap"));
    }
    if (!up && announcements.get().writeKey() instanceof RemoteWriteKey) {
      announcements.stopWrites(
          CallRefusal.unavailable("the key's provider does not answer, and every call needs it"));
    }
  }

  /// Versions that the provider has, newer than all that the fleet knows.
  private void updateCandidates(PluginSnapshot known) {
    KekVersion newest = known.keystore().versions().lastKey();
    Set<KekVersion> now =
        provisioner.loadedVersions().stream()
            .filter(it -> it.compareTo(newest) > 0)
            .collect(Collectors.toUnmodifiableSet());
    now.stream()
        .filter(it -> !candidates.contains(it))
        .forEach(it -> report(new PluginEvent.CandidateVersion(it.toString())));
    candidates = now;
  }

  /// What a scrape shows.
  public int candidateCount() {
    return candidates.size();
  }
}
