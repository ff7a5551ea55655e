package keyfleet.sim.cluster;

import java.util.List;
import java.util.Optional;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore.Activation;
import keyfleet.sim.cluster.SimulatedEtcd.SealedSeed;
import keyfleet.sim.cluster.SimulatedEtcd.StoredObject;
import keyfleet.sim.host.SeededRandom;
import keyfleet.sim.host.VirtualTimeScheduler;
import org.jspecify.annotations.Nullable;

/// The API server of a node. It asks its plugin for the key_id about once a minute, and until then
/// writes under the data key that it has.
final class SimulatedApiServer {
  static final int OBJECTS = 5;

  private static final long POLL_PERIOD = 60 * VirtualTimeScheduler.SECOND;

  private final ClusterNode node;
  private final SimulatedEtcd etcd;
  private final ClusterOracle oracle;
  private final SeededRandom random;
  private @Nullable Activation writesUnder;
  private @Nullable SealedSeed seed;
  private long polledAt = Long.MIN_VALUE / 2;

  SimulatedApiServer(
      ClusterNode node, SimulatedEtcd etcd, ClusterOracle oracle, SeededRandom random) {
    this.node = node;
    this.etcd = etcd;
    this.oracle = oracle;
    this.random = random;
  }

  ClusterNode node() {
    return node;
  }

  void tick(long now) {
    if (node.fate() == ClusterNode.Fate.DEAD) {
      return;
    }
    if (now - polledAt >= POLL_PERIOD && node.isServing()) {
      polledAt = now;
      poll();
    }
    write("object-" + random.below(OBJECTS));
    etcd.find("object-" + random.below(OBJECTS)).ifPresent(this::read);
  }

  private void poll() {
    Optional<Activation> current = node.status();
    if (current.isPresent() && !current.get().equals(writesUnder)) {
      node.encrypt(current.get().version())
          .ifPresent(made -> {
            writesUnder = current.get();
            seed = made;
            node.host().note(() -> "its API server writes under " + current.get());
          });
    }
  }

  private void write(String name) {
    SealedSeed present = seed;
    if (present != null) {
      etcd.put(new StoredObject(name, present));
    }
  }

  private void read(StoredObject object) {
    if (node.isServing() && !node.decrypt(object.seed())) {
      oracle.checkUnread(node, object);
    }
  }

  /// Reads every object that it can and writes it again, as a storage migration does, if it writes
  /// under `activation` already.
  void migrate(Activation activation) {
    if (node.isServing() && activation.equals(writesUnder)) {
      List.copyOf(etcd.objects()).stream()
          .filter(it -> node.decrypt(it.seed()))
          .forEach(it -> write(it.name()));
    }
  }

  /// The version under which it writes now; empty if its node is gone.
  Optional<KekVersion> writeVersion() {
    return Optional.ofNullable(seed)
        .filter(_ -> node.fate() != ClusterNode.Fate.DEAD)
        .map(SealedSeed::version);
  }

  /// Whether it may still write objects under `version`, now or after its plugin's next answer.
  boolean mayWriteUnder(KekVersion version) {
    return node.fate() != ClusterNode.Fate.DEAD
        && (node.announces(version) || writeVersion().equals(Optional.of(version)));
  }
}
