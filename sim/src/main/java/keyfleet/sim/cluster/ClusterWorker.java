package keyfleet.sim.cluster;

import java.util.List;
import java.util.Map;
import keyfleet.control.Failpoints;
import keyfleet.control.rotation.CollectionCatalog;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.control.rotation.RotationLoop;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Heartbeat.ProcessInfo;
import keyfleet.member.heartbeat.Membership;
import keyfleet.member.heartbeat.ProcessIdentity;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.sim.cipher.InMemoryKekProvider;
import keyfleet.sim.fleet.PortUser;
import keyfleet.sim.host.HostLoop;
import keyfleet.sim.host.SimulatedHost;
import keyfleet.sim.host.VirtualTimeScheduler;

/// A worker that drives the rotations of a kms keyring, through all its restarts.
final class ClusterWorker {
  private static final long HEARTBEAT_PERIOD = 30 * VirtualTimeScheduler.SECOND;
  private static final long WORK_PERIOD = 10 * VirtualTimeScheduler.SECOND;
  private static final long AT_ONCE = 5 * VirtualTimeScheduler.MILLI;

  private final SimulatedHost host;
  private final ClusterStores stores;
  private final InMemoryKekProvider keyProvider = new InMemoryKekProvider();

  ClusterWorker(SimulatedHost host, ClusterStores stores) {
    this.host = host;
    this.stores = stores;
    for (int version = 1; version <= ClusterFleet.MAX_VERSIONS; version++) {
      keyProvider.put(InMemoryKekProvider.genuineKek(version));
    }
  }

  SimulatedHost host() {
    return host;
  }

  InMemoryKekProvider keyProvider() {
    return keyProvider;
  }

  void start() {
    host.start();
    host.maybeStartSlowly();
    LoadedKeys loadedKeys =
        new LoadedKeys(KeyringName.MAIN, List.of(keyProvider), stores.secureRandom(host, "keys"));
    startHeartbeats(loadedKeys);
    startWork(loadedKeys);
  }

  private void startHeartbeats(LoadedKeys loadedKeys) {
    HostLoop loop = new HostLoop(host);
    String run = "run-" + host.generation();
    ProcessIdentity identity =
        new ProcessIdentity(
            new ProcessInfo(host.name() + "-" + host.generation(), run, "worker", "0"),
            ProcessIdentity.PROTOCOL,
            null);
    Membership membership =
        new Membership(
            identity,
            new Membership.StoreAccess(
                stores.kv(PortUser.MEMBER, loop), stores.nonces(host.name() + "member" + run)),
            loadedKeys,
            Map::of,
            stores.wrappers().wrapClock(PortUser.MEMBER, host.clock()));
    loop.runEvery(
        HEARTBEAT_PERIOD,
        () -> {
          String state = membership.runRound().description();
          host.note(() -> state);
        });
  }

  private void startWork(LoadedKeys loadedKeys) {
    HostLoop loop = new HostLoop(host);
    KeyringStore keyringStore = stores.keyringStore(PortUser.WORKER, loop);
    CollectionCatalog catalog =
        new CollectionCatalog(keyringStore, ClusterStores.NO_COLLECTIONS, Failpoints.NONE);
    RotationLoop rotations =
        new RotationLoop(
            host.name() + " run-" + host.generation(),
            keyringStore,
            catalog,
            loadedKeys,
            stores.wrappers().wrapClock(PortUser.WORKER, host.clock()));
    loop.runPaced(
        () -> rotations.tick() == RotationLoop.NextTick.IMMEDIATELY ? AT_ONCE : WORK_PERIOD);
  }
}
