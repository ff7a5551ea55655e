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
  public record Settings(LocalKekLimits limits, Duration probe) {}

  /// Between two turns, unless something happens.
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Supplier<FleetState> fleet;
  private final AnnouncementStore ledger;
  private final WriteKeyProvisioner maker;
  private final Settings settings;
  private final PluginContext around;

  private RetryBackoff making;
  private long probedAt;
  private volatile boolean remoteUp = true;

  /// Why nothing may be written, until the store says otherwise.
  private @Nullable CallRefusal contradiction;

  private volatile Set<KekVersion> candidates = Set.of();
  private String trouble = "";
  private String ignored = "";
  private List<String> keyFaults = List.of();

  public KeyReconciler(
      Supplier<FleetState> fleet,
      AnnouncementStore ledger,
      WriteKeyProvisioner maker,
      Settings settings,
      PluginContext around) {
    this.fleet = fleet;
    this.ledger = ledger;
    this.maker = maker;
    this.settings = settings;
    this.around = around;
    this.making = RetryBackoff.none(now());
    this.probedAt = now();
  }

  /// Does what is due. Returns after what time the next turn is.
  public Duration turn() {
    switch (fleet.get()) {
      case FleetState.NotJoined() -> look();
      case FleetState.KeystoreUnavailable() -> {}
      case FleetState.KeystoreAvailable(Keystore keystore) -> learn(keystore);
    }
    PluginSnapshot known = ledger.snapshot();
    if (known != null) {
      write(known);
      probe(known);
      noteCandidates(known);
    }
    return PAUSE;
  }

  private long now() {
    return around.clock().getAsLong();
  }

  private void tell(PluginEvent event) {
    around.events().accept(event);
  }

  public boolean isRemoteUp() {
    return remoteUp;
  }

  private void look() {
    List<String> faults = maker.refresh();
    faults.stream()
        .filter(it -> !keyFaults.contains(it))
        .forEach(it -> tell(new PluginEvent.ProviderUnavailable(it)));
    keyFaults = faults;
  }

  private void learn(Keystore read) {
    PluginSnapshot known = ledger.snapshot();
    contradiction = null;
    switch (known == null ? PluginSnapshot.judgeFirst(read) : known.judge(read)) {
      case PluginSnapshot.SameOrNewer() -> {
        ignored = "";
        if (known == null || !known.keystore().equals(read)) {
          ledger.know(read);
          making = RetryBackoff.none(now()); // what failed before may be wanted no more
        }
      }
      case PluginSnapshot.StoreBehind(String reason) -> ignore(reason);
      case PluginSnapshot.HistoryDiverged(String reason) -> contradict(reason);
      case PluginSnapshot.WrongUse(String reason) -> contradict(reason);
    }
  }

  private void ignore(String reason) {
    if (!reason.equals(ignored)) {
      ignored = reason;
      tell(new PluginEvent.KeystoreIgnored(reason));
    }
  }

  private void contradict(String reason) {
    ignore(reason);
    contradiction = CallRefusal.notAllowed(reason);
    ledger.stop(contradiction);
  }

  private void write(PluginSnapshot known) {
    if (contradiction != null) {
      return;
    }
    WriteKey writing = ledger.get().writing();
    Optional<CallRefusal> end = end(writing);
    end.ifPresent(ledger::stop);
    boolean writes = end.isEmpty() && !(writing instanceof NoWriteKey);
    boolean asWanted = writes && known.announced().equals(known.wanted()) && !isDue(writing);
    if (!asWanted && making.isDue(now())) {
      make(known, writes);
    }
  }

  /// Why what is being written under must not be used any more, if so.
  private Optional<CallRefusal> end(WriteKey writing) {
    KmsKeyId keyId = AnnouncementStore.keyId(writing);
    KnownKeyId known = keyId == null ? null : ledger.get().known().get(keyId.text());
    if (known == null) {
      return Optional.empty();
    }
    if (!known.state().isProofRequired()) {
      return Optional.of(
          CallRefusal.notAllowed(
              "%s, under which this plugin writes, is %s"
                  .formatted(known.version(), known.state())));
    }
    if (!maker.holds(known.version())) {
      return Optional.of(
          CallRefusal.notNow(known.version() + " is no longer loaded in this plugin"));
    }
    return Optional.empty();
  }

  private boolean isDue(WriteKey writing) {
    return switch (writing) {
      case LocalWriteKey(_, LocalKek kek) -> wear(kek) != Lifetime.FRESH;
      case RemoteWriteKey _, NoWriteKey _ -> false;
    };
  }

  private Lifetime wear(LocalKek kek) {
    Duration age = Duration.ofNanos(now() - kek.bornAt());
    Lifetime wear = settings.limits().wear(kek.uses(), age);
    if (wear == Lifetime.SPENT) {
      kek.spend();
    }
    return wear;
  }

  private void make(PluginSnapshot known, boolean writes) {
    Optional<CallRefusal> failure = made(known, known.wanted());
    if (failure.isPresent() && !writes && !known.announced().equals(known.wanted())) {
      failure = made(known, known.announced());
    }
    if (failure.isEmpty()) {
      making = RetryBackoff.none(now());
      remoteUp = true;
      trouble = "";
      return;
    }
    making = making.failed(now());
    remoteUp = false;
    String why = failure.get().sentence();
    if (!why.equals(trouble)) {
      trouble = why;
      tell(new PluginEvent.WriteKeyUnavailable(why));
    }
    if (!writes) {
      ledger.stop(failure.get());
    }
  }

  /// Nothing if the plugin writes under `activation` from here on.
  private Optional<CallRefusal> made(PluginSnapshot known, Activation activation) {
    WriteKey before = ledger.get().writing();
    return switch (maker.make(known.keystore(), activation)) {
      case Provisioned(WriteKey now) -> {
        ledger.write(known, activation, now);
        tellReplaced(before, now);
        yield Optional.empty();
      }
      case NotProvisioned(CallRefusal why) -> Optional.of(why);
    };
  }

  private void tellReplaced(WriteKey before, WriteKey now) {
    if (before instanceof LocalWriteKey(KmsKeyId was, LocalKek old)
        && now instanceof LocalWriteKey(KmsKeyId is, _)
        && was.equals(is)) {
      tell(new PluginEvent.LocalKekReplaced(is.hash(), old.uses()));
    }
  }

  /// With local KEKs an outage of the remote is no trouble of Status yet. Without them it is.
  private void probe(PluginSnapshot known) {
    long now = now();
    if (Duration.ofNanos(now - probedAt).compareTo(settings.probe()) < 0) {
      return;
    }
    probedAt = now;
    KekVersion version = known.announced().version();
    boolean up = maker.answers(known.keystore(), version);
    if (up != remoteUp) {
      remoteUp = up;
      tell(
          up
              ? new PluginEvent.ProviderRecovered()
              : new PluginEvent.ProviderUnavailable(version + " does not wrap and unwrap"));
    }
    if (!up && ledger.get().writing() instanceof RemoteWriteKey) {
      ledger.stop(
          CallRefusal.notNow("the key's provider does not answer, and every call needs it"));
    }
  }

  /// Versions that the provider has, newer than all that the fleet knows.
  private void noteCandidates(PluginSnapshot known) {
    KekVersion newest = known.keystore().versions().lastKey();
    Set<KekVersion> now =
        maker.held().stream()
            .filter(it -> it.compareTo(newest) > 0)
            .collect(Collectors.toUnmodifiableSet());
    now.stream()
        .filter(it -> !candidates.contains(it))
        .forEach(it -> tell(new PluginEvent.CandidateVersion(it.toString())));
    candidates = now;
  }

  /// What a scrape shows.
  public int candidates() {
    return candidates.size();
  }
}
