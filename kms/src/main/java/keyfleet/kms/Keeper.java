package keyfleet.kms;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Keystore.Activation;
import keyfleet.kms.Announced.Known;
import keyfleet.kms.Announced.Locally;
import keyfleet.kms.Announced.Remotely;
import keyfleet.kms.Announced.Stopped;
import keyfleet.kms.Announced.Writing;
import keyfleet.kms.LocalKekLimits.Wear;
import keyfleet.kms.Maker.Made;
import keyfleet.kms.Maker.NotMade;
import org.jspecify.annotations.Nullable;

/// Keeps a plugin able to write: takes over what its fleet decides, has local KEKs made and
/// replaced in time, and tries the remote now and then. One thread turns it; nobody who calls the
/// plugin waits for it.
final class Keeper {
  /// @param probe after this long the remote is tried again
  record Settings(LocalKekLimits limits, Duration probe) {}

  /// Between two turns, unless something happens.
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Supplier<FleetWord> fleet;
  private final Ledger ledger;
  private final Maker maker;
  private final Settings settings;
  private final Surroundings around;

  private Backoff making;
  private long probedAt;
  private volatile boolean remoteUp = true;

  /// Why nothing may be written, until the store says otherwise.
  private @Nullable Refusal contradiction;

  private volatile Set<KekVersion> candidates = Set.of();
  private String trouble = "";
  private String ignored = "";
  private List<String> keyFaults = List.of();

  Keeper(
      Supplier<FleetWord> fleet,
      Ledger ledger,
      Maker maker,
      Settings settings,
      Surroundings around) {
    this.fleet = fleet;
    this.ledger = ledger;
    this.maker = maker;
    this.settings = settings;
    this.around = around;
    this.making = Backoff.none(now());
    this.probedAt = now();
  }

  /// Does what is due. Returns after what time the next turn is.
  Duration turn() {
    switch (fleet.get()) {
      case FleetWord.Alone() -> look();
      case FleetWord.Silent() -> {}
      case FleetWord.Says(Keystore keystore) -> learn(keystore);
    }
    Snapshot known = ledger.snapshot();
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

  boolean isRemoteUp() {
    return remoteUp;
  }

  private void look() {
    List<String> faults = maker.refresh();
    faults.stream()
        .filter(it -> !keyFaults.contains(it))
        .forEach(it -> tell(new PluginEvent.RemoteLost(it)));
    keyFaults = faults;
  }

  private void learn(Keystore read) {
    Snapshot known = ledger.snapshot();
    contradiction = null;
    switch (known == null ? Snapshot.judgeFirst(read) : known.judge(read)) {
      case Snapshot.Onward() -> {
        ignored = "";
        if (known == null || !known.keystore().equals(read)) {
          ledger.know(read);
          making = Backoff.none(now()); // what failed before may be wanted no more
        }
      }
      case Snapshot.Behind(String reason) -> ignore(reason);
      case Snapshot.Forked(String reason) -> contradict(reason);
      case Snapshot.WrongUse(String reason) -> contradict(reason);
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
    contradiction = Refusal.notAllowed(reason);
    ledger.stop(contradiction);
  }

  private void write(Snapshot known) {
    if (contradiction != null) {
      return;
    }
    Writing writing = ledger.get().writing();
    Optional<Refusal> end = end(writing);
    end.ifPresent(ledger::stop);
    boolean writes = end.isEmpty() && !(writing instanceof Stopped);
    boolean asWanted = writes && known.announced().equals(known.wanted()) && !isDue(writing);
    if (!asWanted && making.isDue(now())) {
      make(known, writes);
    }
  }

  /// Why what is being written under must not be used any more, if so.
  private Optional<Refusal> end(Writing writing) {
    KeyId keyId = Ledger.keyId(writing);
    Known known = keyId == null ? null : ledger.get().known().get(keyId.text());
    if (known == null) {
      return Optional.empty();
    }
    if (!known.state().isProofRequired()) {
      return Optional.of(
          Refusal.notAllowed(
              "%s, under which this plugin writes, is %s"
                  .formatted(known.version(), known.state())));
    }
    if (!maker.holds(known.version())) {
      return Optional.of(Refusal.notNow(known.version() + " is no longer loaded in this plugin"));
    }
    return Optional.empty();
  }

  private boolean isDue(Writing writing) {
    return switch (writing) {
      case Locally(_, LocalKek kek) -> wear(kek) != Wear.FRESH;
      case Remotely _, Stopped _ -> false;
    };
  }

  private Wear wear(LocalKek kek) {
    Duration age = Duration.ofNanos(now() - kek.bornAt());
    Wear wear = settings.limits().wear(kek.uses(), age);
    if (wear == Wear.SPENT) {
      kek.spend();
    }
    return wear;
  }

  private void make(Snapshot known, boolean writes) {
    Optional<Refusal> failure = made(known, known.wanted());
    if (failure.isPresent() && !writes && !known.announced().equals(known.wanted())) {
      failure = made(known, known.announced());
    }
    if (failure.isEmpty()) {
      making = Backoff.none(now());
      remoteUp = true;
      trouble = "";
      return;
    }
    making = making.failed(now());
    remoteUp = false;
    String why = failure.get().sentence();
    if (!why.equals(trouble)) {
      trouble = why;
      tell(new PluginEvent.CannotMake(why));
    }
    if (!writes) {
      ledger.stop(failure.get());
    }
  }

  /// Nothing if the plugin writes under `activation` from here on.
  private Optional<Refusal> made(Snapshot known, Activation activation) {
    Writing before = ledger.get().writing();
    return switch (maker.make(known.keystore(), activation)) {
      case Made(Writing now) -> {
        ledger.write(known, activation, now);
        tellReplaced(before, now);
        yield Optional.empty();
      }
      case NotMade(Refusal why) -> Optional.of(why);
    };
  }

  private void tellReplaced(Writing before, Writing now) {
    if (before instanceof Locally(KeyId was, LocalKek old)
        && now instanceof Locally(KeyId is, _)
        && was.equals(is)) {
      tell(new PluginEvent.LocalKekReplaced(is.hash(), old.uses()));
    }
  }

  /// With local KEKs an outage of the remote is no trouble of Status yet. Without them it is.
  private void probe(Snapshot known) {
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
              ? new PluginEvent.RemoteBack()
              : new PluginEvent.RemoteLost(version + " does not wrap and unwrap"));
    }
    if (!up && ledger.get().writing() instanceof Remotely) {
      ledger.stop(Refusal.notNow("the key's provider does not answer, and every call needs it"));
    }
  }

  /// Versions that the provider has, newer than all that the fleet knows.
  private void noteCandidates(Snapshot known) {
    KekVersion newest = known.keystore().versions().lastKey();
    Set<KekVersion> now =
        maker.held().stream()
            .filter(it -> it.compareTo(newest) > 0)
            .collect(Collectors.toUnmodifiableSet());
    now.stream()
        .filter(it -> !candidates.contains(it))
        .forEach(it -> tell(new PluginEvent.Candidate(it.toString())));
    candidates = now;
  }

  /// What a scrape shows.
  int candidates() {
    return candidates.size();
  }
}
