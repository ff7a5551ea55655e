package keyfleet.sim.rollout;

import java.util.function.Consumer;
import java.util.function.Supplier;
import keyfleet.sim.fleet.ObservedWritesKv;
import keyfleet.sim.fleet.PortUser;
import keyfleet.sim.fleet.PortWrappers;
import keyfleet.sim.fleet.SimulatedWorld;
import keyfleet.sim.host.HostKv;
import keyfleet.sim.host.HostLoop;
import keyfleet.sim.host.SeededRandom;
import keyfleet.sim.host.SimulatedHost;
import keyfleet.store.Kv;

/// The store of a rollout fleet, as each of its loops gets it; an observer sees every write.
final class RolloutStores {
  private final SimulatedWorld world;
  private final PortWrappers wrappers;
  private final Kv store;

  RolloutStores(
      SimulatedWorld world,
      PortWrappers wrappers,
      Consumer<ObservedWritesKv.AppliedWrite> observer) {
    this.world = world;
    this.wrappers = wrappers;
    this.store =
        new ObservedWritesKv(
            wrappers.wrapKv(PortUser.STORE, world.kvWithTtlFaults()),
            (_, write) -> observer.accept(write));
  }

  SimulatedWorld world() {
    return world;
  }

  PortWrappers wrappers() {
    return wrappers;
  }

  Kv store() {
    return store;
  }

  Kv kv(PortUser user, HostLoop loop) {
    return wrappers.wrapKv(user, new HostKv(store, loop, world.readMode()));
  }

  /// Nonces that no other process of this run uses.
  Supplier<String> nonces(SimulatedHost host) {
    SeededRandom random = world.random().forPurpose("nonces of " + host.name() + host.generation());
    return () -> Long.toHexString(random.next());
  }
}
