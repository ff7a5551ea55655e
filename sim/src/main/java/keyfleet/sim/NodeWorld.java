package keyfleet.sim;

import java.util.function.Consumer;
import java.util.function.Supplier;
import keyfleet.store.Kv;

/// The store of a node fleet as each of its loops gets it, with somebody who looks at every write.
final class NodeWorld {
  private final World world;
  private final Ports ports;
  private final Kv store;

  NodeWorld(World world, Ports ports, Consumer<WatchedKv.Applied> watcher) {
    this.world = world;
    this.ports = ports;
    this.store =
        new WatchedKv(ports.kv(Part.STORE, world.engine()), (_, write) -> watcher.accept(write));
  }

  World world() {
    return world;
  }

  Ports ports() {
    return ports;
  }

  Kv store() {
    return store;
  }

  /// The store for one loop of a process.
  Kv kv(Part part, Loop loop) {
    return ports.kv(part, new HostKv(store, loop, world.anyReads()));
  }

  /// Words that no other life of a host says.
  Supplier<String> nonces(Host host) {
    Dice dice = world.dice().named("nonces of " + host.name() + host.life());
    return () -> Long.toHexString(dice.next());
  }
}
