package keyfleet.sim.rotation;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.VersionState;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.sim.fleet.SimulatedWorld;
import keyfleet.sim.host.Fault;
import keyfleet.sim.host.FaultSchedule;
import keyfleet.sim.host.SeededRandom;
import keyfleet.sim.host.VirtualTimeScheduler;
import org.jspecify.annotations.Nullable;

/// In some runs the coordination store is restored from a backup, after rotations that the backup
/// does not know. The fences remember them, so the keystore is held until the operator decides. It
/// is restored only when the fences tell all that was lost.
final class StoreRestore {
  private static final int ODDS = 6;
  private static final long CHECK_PERIOD = 7 * VirtualTimeScheduler.SECOND;

  /// Whether the store is restored in some runs, or in none.
  enum Plan {
    SOMETIMES,
    NEVER
  }

  /// Which side the operator takes.
  private enum Decision {
    ADOPT_FENCES,
    ACCEPT_KEYSTORE
  }

  private record Saved(Keystore keystore, Set<String> registered, Runnable rollback) {}

  private final SimulatedWorld world;
  private final RotationStores stores;
  private final SeededRandom random;
  private final boolean isPlanned;
  private final Decision decision;
  private @Nullable Saved saved;
  private boolean over;
  private boolean restored;

  StoreRestore(SimulatedWorld world, RotationStores stores, Plan plan) {
    this.world = world;
    this.stores = stores;
    this.random = world.random().forPurpose("backup");
    // a message that arrives after the restore would be a change that no process made
    this.isPlanned =
        plan == Plan.SOMETIMES && random.drawOneIn(ODDS) && !world.hasFaults(Fault.Kind.UNSURE);
    this.decision = random.drawOneIn(2) ? Decision.ADOPT_FENCES : Decision.ACCEPT_KEYSTORE;
  }

  /// `restorer` stops all processes, runs what it gets, and starts them again.
  void schedule(Consumer<Runnable> restorer) {
    if (isPlanned) {
      world.scheduler().schedule(random.between(0, FaultSchedule.SHORT / 2), this::save);
      world.scheduler().schedule(CHECK_PERIOD, () -> check(restorer));
    }
  }

  private void save() {
    Keystore keystore = stores.oracle().keystore().orElse(null);
    if (keystore == null) {
      over = true;
      return;
    }
    Set<String> registered =
        new CollectionRegistry(world.kv(), () -> "none")
            .allRegistrations().stream()
                .map(CollectionRegistration::collection)
                .collect(Collectors.toSet());
    Runnable store = world.kv().checkpoint();
    Runnable oracle = stores.oracle().checkpoint();
    saved =
        new Saved(
            keystore,
            registered,
            () -> {
              store.run();
              oracle.run();
            });
    world.note("store", "is backed up in epoch " + keystore.epoch());
  }

  private void check(Consumer<Runnable> restorer) {
    Saved present = saved;
    over |= world.scheduler().now() > FaultSchedule.SHORT;
    if (over) {
      return;
    }
    if (present != null && isRestorable(present) && random.drawOneIn(2)) {
      over = true;
      restored = true;
      world.note("store", "is restored to epoch " + present.keystore().epoch());
      restorer.accept(present.rollback());
      return;
    }
    world.scheduler().schedule(CHECK_PERIOD, () -> check(restorer));
  }

  private boolean isRestorable(Saved present) {
    RotationOracle oracle = stores.oracle();
    Keystore now = oracle.keystore().orElseThrow();
    Set<KekVersion> known = new HashSet<>(now.writable());
    present
        .keystore()
        .versions()
        .forEach((version, entry) -> {
          if (entry.state().isProofRequired()) {
            known.add(version);
          }
        });
    return now.epoch() > present.keystore().epoch()
        && oracle.isFencedByLatest()
        && known.containsAll(oracle.carriedVersions())
        && present.registered().containsAll(oracle.usedCollections());
  }

  /// Whether a version that the backup needs must not be destroyed yet.
  boolean isPending() {
    return isPlanned && !over;
  }

  /// Whether records still carry a version that the restored keystore was not rotated away from.
  boolean isLeftOver(KekVersion version) {
    return restored && stores.oracle().carriedVersions().contains(version);
  }

  /// Decides, if the keystore is held.
  Optional<Object> resolveHold(RotationOperator operator, Keystore keystore) {
    if (!restored || operator.holds().read().filter(it -> it.hold() != null).isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        decision == Decision.ACCEPT_KEYSTORE && isComplete(keystore)
            ? operator.holds().acceptKeystore()
            : operator.holds().adoptFences());
  }

  /// Whether the keystore has every version that records carry.
  private boolean isComplete(Keystore keystore) {
    return stores.oracle().carriedVersions().stream()
        .allMatch(it ->
            keystore
                .stateOf(it)
                .filter(state -> state == VersionState.ANNOUNCED || state.isProofRequired())
                .isPresent());
  }
}
