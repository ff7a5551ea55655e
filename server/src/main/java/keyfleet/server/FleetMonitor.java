package keyfleet.server;

import java.time.Duration;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.control.audit.AuditedKeystoreStore;
import keyfleet.control.rotation.CollectionCatalog;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.control.rotation.ReadinessVerifier;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyfleetException;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.ReadinessGate;
import keyfleet.keyring.ReadinessGate.AnyProcesses;
import keyfleet.keyring.ReadinessGate.Verdict;
import keyfleet.keyring.Roster;
import keyfleet.keyring.SafeHold;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionState;
import keyfleet.member.document.KeystoreStore.StoredKeystore;
import keyfleet.member.heartbeat.ProcessIdentity;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.server.FleetSnapshot.SlowChecks;
import keyfleet.store.StoreException;
import org.jspecify.annotations.Nullable;

/// Takes a [FleetSnapshot] once per heartbeat, so that a metrics request never waits for the store.
final class FleetMonitor {
  /// Counting records and verifying the audit chain read a lot of data.
  private static final Duration SLOW_CHECK_INTERVAL = Duration.ofMinutes(5);

  private final KeyringStore keyringStore;
  private final CollectionCatalog catalog;
  private final LoadedKeys keys;
  private final Set<Role> roles;
  private final LongSupplier clock;
  private final EventLog log;
  private volatile @Nullable SafeHold safeHold;
  private volatile @Nullable FleetSnapshot snapshot;
  private SlowChecks slowChecks = SlowChecks.NONE;
  private long slowChecksAt;

  FleetMonitor(
      KeyringStore keyringStore,
      CollectionCatalog catalog,
      LoadedKeys keys,
      Set<Role> roles,
      LongSupplier clock,
      EventLog log) {
    this.log = log;
    this.keyringStore = keyringStore;
    this.catalog = catalog;
    this.keys = keys;
    this.roles = Set.copyOf(roles);
    this.clock = clock;
  }

  /// Empty before the first refresh, without a keystore, and when the last refresh could not read
  /// the store: old figures are not shown as new ones.
  Optional<FleetSnapshot> snapshot() {
    return Optional.ofNullable(snapshot);
  }

  /// Why nothing may be sealed in this keyring, as of the last refresh that could tell.
  Optional<SafeHold> safeHold() {
    return Optional.ofNullable(safeHold);
  }

  /// A store of records that does not answer says nothing about a hold, so the last one stays.
  private void checkSafeHold(StoredKeystore storedKeystore) {
    SafeHold found;
    try {
      found = catalog.findSafeHold(storedKeystore.keystore()).orElse(null);
    } catch (StoreException e) {
      return;
    }
    boolean isCertain = found == null || keyringStore.keystores().isUnchanged(storedKeystore);
    if (isCertain && !Objects.equals(found, safeHold)) {
      if (found == null) {
        log.info("the safe hold is over: no fence is ahead of the keystore");
      } else {
        String flag = keys.keyring().equals(KeyringName.MAIN) ? "" : " --keyring=" + keys.keyring();
        log.warn(
            "safe hold: %s; nothing is sealed, moved or removed until a person resolves it. Try: keyfleet kek hold show%s"
                .formatted(found.reason(), flag));
      }
      safeHold = found;
    }
  }

  /// Returns the pause before the next refresh.
  Duration refresh() {
    try {
      Optional<StoredKeystore> storedKeystore = keyringStore.keystores().read();
      storedKeystore.ifPresent(this::checkSafeHold);
      snapshot = storedKeystore.map(StoredKeystore::keystore).map(this::takeSnapshot).orElse(null);
      return storedKeystore.map(it -> it.keystore().timings()).orElse(Timings.DEFAULT).heartbeat();
    } catch (KeyfleetException e) {
      snapshot = null; // the member logs that the store does not answer
      return Timings.DEFAULT.heartbeat().dividedBy(2);
    }
  }

  private FleetSnapshot takeSnapshot(Keystore keystore) {
    KekVersion target = readinessTarget(keystore);
    Roster roster = keyringStore.readRoster(keystore.timings());
    return new FleetSnapshot(
        keystore,
        roster,
        target,
        judgeReadiness(keystore, target, roster),
        keyringStore.readProgress().orElse(null),
        keyringStore.readDriverHeartbeatAge().orElse(null),
        runSlowChecksIfDue());
  }

  private static KekVersion readinessTarget(Keystore keystore) {
    return keystore.versions().entrySet().stream()
        .filter(it -> isUpcoming(it.getValue().state()))
        .map(it -> it.getKey())
        .max(Comparator.naturalOrder())
        .orElse(keystore.active());
  }

  private static boolean isUpcoming(VersionState state) {
    return state == VersionState.ANNOUNCED || state == VersionState.STAGED;
  }

  /// A process that cannot open the target's sentinel cannot check the proofs of others. It still
  /// sees which processes lack the version, itself included.
  private Verdict judgeReadiness(Keystore keystore, KekVersion target, Roster roster) {
    return keys.canProve(keystore, target)
        ? new ReadinessVerifier(keyringStore, keys)
            .verify(keystore, target, new AnyProcesses(), roster)
        : new ReadinessGate(
                keystore,
                target,
                ProcessIdentity.PROTOCOL,
                (_, _) -> true,
                keyringStore.readKnownPlugins(keystore))
            .evaluate(roster, new AnyProcesses());
  }

  private SlowChecks runSlowChecksIfDue() {
    boolean isDue =
        slowChecks.equals(SlowChecks.NONE)
            || clock.getAsLong() - slowChecksAt >= SLOW_CHECK_INTERVAL.toNanos();
    if (roles.contains(Role.SCHEDULER) && isDue) {
      AuditVerdict audit = keyringStore.keystores().reader().verify();
      tieAudit(audit);
      slowChecks = new SlowChecks(catalog.countByVersion().orElse(null), audit);
      slowChecksAt = clock.getAsLong();
    }
    return slowChecks;
  }

  /// Ties the entries that no change of the keystore has tied yet, so that none can be removed
  /// unseen for much longer than the interval of the checks.
  private void tieAudit(AuditVerdict audit) {
    if (!(audit instanceof AuditVerdict.Intact(_, var untied)) || untied.isEmpty()) {
      return;
    }
    try {
      AuditedKeystoreStore keystores = keyringStore.keystores();
      keystores.read().ifPresent(it -> keystores.tie(it, untied));
    } catch (KeyfleetException e) {
      // The next check tries again; the member logs that the store does not answer.
    }
  }
}
