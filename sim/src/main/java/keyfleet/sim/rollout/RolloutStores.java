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

/// The store of a node fleet as each of its loops gets it, with somebody who looks at every write.
final class RolloutStores {
  private final SimulatedWorld world;
  private final PortWrappers ports;
  private final Kv store;

  RolloutStores(
      SimulatedWorld world, PortWrappers ports, Consumer<ObservedWritesKv.AppliedWrite> watcher) {
    this.world = world;
    this.ports = ports;
    this.store =
        new ObservedWritesKv(
            ports.kv(PortUser.STORE, world.engine()), (_, write) -> watcher.accept(write));
  }

  SimulatedWorld world() {
    return world;
  }

  PortWrappers ports() {
    return ports;
  }

  Kv store() {
    return store;
  }

  /// The store for one loop of a process.
  Kv kv(PortUser part, HostLoop loop) {
    return ports.kv(part, new HostKv(store, loop, world.anyReads()));
  }

  /// Words that no other life of a host says.
  Supplier<String> nonces(SimulatedHost host) {
    SeededRandom dice = world.dice().named("nonces of " + host.name() + host.life());
    return () -> Long.toHexString(dice.next());
  }
}
