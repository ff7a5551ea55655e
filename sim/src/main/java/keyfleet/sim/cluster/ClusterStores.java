package keyfleet.sim.cluster;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditActor;
import keyfleet.control.audit.AuditContext;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.control.rewrap.CollectionOpener;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.crypto.KeyringName;
import keyfleet.member.document.KeystoreDocument;
import keyfleet.sim.cipher.SeededSecureRandom;
import keyfleet.sim.fleet.ObservedWritesKv;
import keyfleet.sim.fleet.PortUser;
import keyfleet.sim.fleet.PortWrappers;
import keyfleet.sim.fleet.SimulatedWorld;
import keyfleet.sim.host.HostKv;
import keyfleet.sim.host.HostLoop;
import keyfleet.sim.host.SeededRandom;
import keyfleet.sim.host.SimulatedHost;
import keyfleet.store.Document;
import keyfleet.store.Kv;

/// The store of a cluster fleet, as each of its loops gets it; the oracle observes every keystore.
final class ClusterStores {
  /// A kms keyring has clusters only, and no collection that could be opened.
  static final CollectionOpener NO_COLLECTIONS = _ -> Optional.empty();

  private final SimulatedWorld world;
  private final PortWrappers wrappers;
  private final Kv kv;

  ClusterStores(SimulatedWorld world, PortWrappers wrappers, ClusterOracle oracle) {
    this.world = world;
    this.wrappers = wrappers;
    this.kv =
        new ObservedWritesKv(
            wrappers.wrapKv(PortUser.STORE, world.kvWithTtlFaults()),
            (bucket, write) -> {
              if (bucket.name().equals("keystores")) {
                oracle.observeKeystore(KeystoreDocument.parse(Document.parse(write.value())));
              }
            });
  }

  PortWrappers wrappers() {
    return wrappers;
  }

  Kv kv(PortUser user, HostLoop loop) {
    HostKv.ReadMode readMode =
        user == PortUser.WORKER || user == PortUser.OPERATOR
            ? world.readMode()
            : HostKv.ReadMode.FRESH;
    return wrappers.wrapKv(user, new HostKv(kv, loop, readMode));
  }

  KeyringStore keyringStore(PortUser user, HostLoop loop) {
    SimulatedHost host = loop.host();
    return new KeyringStore(
        KeyringName.MAIN,
        kv(user, loop),
        nonces(user + host.name() + host.generation()),
        Failpoints.NONE,
        author(host));
  }

  /// The author of the host's audit entries. Dates are for people only, so all are the same.
  private static AuditContext author(SimulatedHost host) {
    return new AuditContext(
        new AuditActor(host.name(), host.name(), host.name() + "-" + host.generation()),
        InstantSource.fixed(Instant.EPOCH));
  }

  /// The verdict on the audit, read directly from the store.
  AuditVerdict auditVerdict() {
    SimulatedHost auditor = world.host("auditor");
    return new KeyringStore(
            KeyringName.MAIN, world.kv(), nonces("auditor"), Failpoints.NONE, author(auditor))
        .keystores()
        .reader()
        .verify();
  }

  /// Nonces that no other loop of this run uses.
  Supplier<String> nonces(String name) {
    SeededRandom random = world.random().forPurpose("nonces of cluster " + name);
    return () -> Long.toHexString(random.next());
  }

  SeededSecureRandom secureRandom(SimulatedHost host, String purpose) {
    return new SeededSecureRandom(host.random().forPurpose(purpose + host.generation()));
  }
}
