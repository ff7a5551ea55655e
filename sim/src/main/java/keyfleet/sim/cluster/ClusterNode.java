package keyfleet.sim.cluster;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import keyfleet.crypto.FieldLocation;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.OpenResult;
import keyfleet.crypto.SealResult;
import keyfleet.crypto.SecretBytes;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Heartbeat.ProcessInfo;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Keystore.Activation;
import keyfleet.keyring.KnownPlugin;
import keyfleet.keyring.VersionState;
import keyfleet.member.MembershipState;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.member.document.KnownPluginRegistry;
import keyfleet.member.heartbeat.Membership;
import keyfleet.member.heartbeat.ProcessIdentity;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.sim.cipher.InMemoryKekProvider;
import keyfleet.sim.cluster.SimulatedEtcd.SealedSeed;
import keyfleet.sim.fleet.PortUser;
import keyfleet.sim.host.HostLoop;
import keyfleet.sim.host.SimulatedHost;
import keyfleet.sim.host.VirtualTimeScheduler;
import keyfleet.store.Bytes;
import keyfleet.store.Kv;
import keyfleet.store.StoreException;
import org.jspecify.annotations.Nullable;

/// A control-plane node with its plugin, through all restarts of the plugin. The plugin is a
/// production member; what it announces to its API server, and the snapshot of that on its disk,
/// are modelled. It serves its API server whether or not it reaches the store.
final class ClusterNode {
  private static final long HEARTBEAT_PERIOD = 30 * VirtualTimeScheduler.SECOND;
  private static final FieldLocation SEED = new FieldLocation("etcd", "seed", "key");

  /// On the disk: the last keystore that the plugin adopted, and what it announces.
  private record Snapshot(Keystore keystore, @Nullable Activation announced) {}

  /// Why a node runs no plugin.
  enum Fate {
    SERVING,
    /// Its plugin stopped gracefully and will return.
    STOPPED,
    /// The machine is gone for good.
    DEAD
  }

  private final SimulatedHost host;
  private final String cluster;
  private final ClusterStores stores;
  private final InMemoryKekProvider keyProvider = new InMemoryKekProvider();
  private final Set<KekVersion> entitled = new HashSet<>(Set.of(new KekVersion(1)));
  private LoadedKeys loadedKeys;
  private int protocol = ProcessIdentity.PROTOCOL;
  private Fate fate = Fate.SERVING;
  private @Nullable Snapshot snapshot;
  private boolean known;
  private boolean knownAtStage;
  private boolean keysIntact = true;
  private long registeredGeneration = -1;

  ClusterNode(SimulatedHost host, String cluster, ClusterStores stores) {
    this.host = host;
    this.cluster = cluster;
    this.stores = stores;
    this.loadedKeys = noKeys();
  }

  private LoadedKeys noKeys() {
    return new LoadedKeys(
        KeyringName.MAIN, List.of(keyProvider), stores.secureRandom(host, "keys"));
  }

  SimulatedHost host() {
    return host;
  }

  String cluster() {
    return cluster;
  }

  InMemoryKekProvider keyProvider() {
    return keyProvider;
  }

  Fate fate() {
    return fate;
  }

  void setFate(Fate next) {
    fate = next;
  }

  void setProtocol(int newProtocol) {
    protocol = newProtocol;
  }

  boolean isCurrent() {
    return host.isUp() && protocol == ProcessIdentity.PROTOCOL;
  }

  /// The name of the present or last run of the plugin.
  String instance() {
    return host.name() + "-" + host.generation();
  }

  /// Starts the plugin with the snapshot of its last run.
  void start() {
    host.start();
    host.maybeStartSlowly();
    loadedKeys = noKeys();
    HostLoop loop = new HostLoop(host);
    Kv kv = stores.kv(PortUser.MEMBER, loop);
    ProcessIdentity identity =
        new ProcessIdentity(
            new ProcessInfo(instance(), "run-" + host.generation(), "kms-plugin", "0"),
            protocol,
            null);
    Membership membership =
        new Membership(
                identity,
                new Membership.StoreAccess(kv, stores.nonces(instance() + "member")),
                loadedKeys,
                Map::of,
                stores.wrappers().wrapClock(PortUser.MEMBER, host.clock()))
            .reportCurrent(_ -> announced().map(Activation::version).orElse(null));
    PluginJoin join = new PluginJoin(membership, kv);
    loop.runEvery(HEARTBEAT_PERIOD, () -> join.run());
  }

  /// One run of the plugin as a member. It registers its cluster and itself before it reads the
  /// keystore that it adopts.
  private final class PluginJoin {
    private final Membership membership;
    private final Kv kv;
    private final String instance = instance();
    private boolean joined;

    PluginJoin(Membership membership, Kv kv) {
      this.membership = membership;
      this.kv = kv;
    }

    void run() {
      if (fate == Fate.STOPPED) {
        stop();
        return;
      }
      MembershipState state = membership.runRound();
      String description = state.description();
      host.note(() -> description);
      if (!joined && register()) {
        state = membership.runRound();
        joined = !(state instanceof MembershipState.NotJoined);
      }
      if (joined) {
        state.trustedKeystore().ifPresent(ClusterNode.this::follow);
      }
    }

    private boolean register() {
      try {
        var _ =
            new CollectionRegistry(kv, stores.nonces(instance + "registry"))
                .register(CollectionRegistration.ofCluster(KeyringName.MAIN, cluster));
        new KnownPluginRegistry(kv, KeyringName.MAIN).remember(new KnownPlugin(place(), instance));
        known = true;
        registeredGeneration = host.generation();
        host.note(() -> "is a known plugin");
        return true;
      } catch (StoreException e) {
        host.note(() -> "cannot register: " + e.getMessage());
        return false;
      }
    }

    private void stop() {
      known = false;
      try {
        var _ = new KnownPluginRegistry(kv, KeyringName.MAIN).forget(instance);
        membership.leave();
      } catch (StoreException e) {
        host.note(() -> "cannot leave: " + e.getMessage());
      }
      host.crash();
    }
  }

  private KnownPlugin.Place place() {
    return new KnownPlugin.Place(cluster, host.name(), "/run/plugin.sock");
  }

  /// Adopts a keystore that is not older, and announces its active version once the key is loaded.
  private void follow(Keystore read) {
    Snapshot before = snapshot;
    if (before != null && before.keystore().epoch() > read.epoch()) {
      return;
    }
    Activation wanted = read.activations().getLast();
    boolean canWrite = loadedKeys.canProve(read, wanted.version());
    if (canWrite && !announced().equals(Optional.of(wanted))) {
      entitled.add(wanted.version());
      host.note(() -> "announces " + wanted);
    }
    snapshot = new Snapshot(read, canWrite ? wanted : announced().orElse(null));
  }

  Optional<Activation> announced() {
    Snapshot now = snapshot;
    return now == null ? Optional.empty() : Optional.ofNullable(now.announced());
  }

  boolean announces(KekVersion version) {
    return announced().filter(it -> it.version().equals(version)).isPresent();
  }

  /// Whether API servers reach the plugin.
  boolean isServing() {
    return host.isUp() && !host.isPaused();
  }

  /// The plugin's answer to Status: the key_id to write under. Empty if it refuses.
  Optional<Activation> status() {
    Snapshot now = snapshot;
    return now == null || !isServing()
        ? Optional.empty()
        : announced().filter(it -> canWriteUnder(now.keystore(), it.version()));
  }

  private boolean canWriteUnder(Keystore keystore, KekVersion version) {
    return keystore.stateOf(version).filter(VersionState::isProofRequired).isPresent()
        && loadedKeys.canProve(keystore, version);
  }

  /// Seals a new data key under the announced version.
  Optional<SealedSeed> encrypt(KekVersion version) {
    return loadedKeys.cipher().seal(version, SEED, SecretBytes.copyOf(new byte[] {1}))
            instanceof SealResult.Sealed(var envelope)
        ? Optional.of(new SealedSeed(version, Bytes.copyOf(envelope.toBytes())))
        : Optional.empty();
  }

  /// Opens a data key with the loaded keys, without the store.
  boolean decrypt(SealedSeed seed) {
    if (opens(seed)) {
      return true;
    }
    var _ = loadedKeys.refresh();
    return opens(seed);
  }

  private boolean opens(SealedSeed seed) {
    return loadedKeys.cipher().open(SEED, seed.envelope().toArray()) instanceof OpenResult.Opened;
  }

  /// Whether the fleet counts on this plugin: it was remembered, and was not taken off since.
  boolean isKnown() {
    return known;
  }

  /// A version was just staged.
  void noteStaged() {
    knownAtStage = known;
  }

  boolean wasKnownAtStage() {
    return knownAtStage && known;
  }

  /// Whether the present run has told the fleet of itself.
  boolean isRegistered() {
    return host.isUp() && registeredGeneration == host.generation();
  }

  void setKnown(boolean now) {
    known = now;
  }

  /// Whether the plugin must open values under `version`: it was known when the fleet flipped to
  /// that version, or announced it itself, and has lost no key since.
  boolean isEntitledTo(KekVersion version) {
    return entitled.contains(version) && keyProvider.isAvailable();
  }

  void entitle(KekVersion version) {
    entitled.add(version);
  }

  /// A fault takes a key from the node, so the fleet promises it nothing until the key is back.
  void loseKeys() {
    keysIntact = false;
    entitled.clear();
  }

  void restoreKeys() {
    keysIntact = true;
  }

  boolean areKeysIntact() {
    return keysIntact;
  }

  boolean hasKey(KekVersion version) {
    return keyProvider.has(InMemoryKekProvider.genuineKek(version.number()))
        || loadedKeys.find(version).isPresent();
  }
}
