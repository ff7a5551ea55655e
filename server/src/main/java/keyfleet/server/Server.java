package keyfleet.server;

import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditContext;
import keyfleet.control.rewrap.BatchExecutor;
import keyfleet.control.rewrap.CollectionOpener;
import keyfleet.control.rewrap.ThreadPoolBatchExecutor;
import keyfleet.control.rotation.CollectionCatalog;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.control.rotation.RotationLoop;
import keyfleet.crypto.KeyringName;
import keyfleet.member.Member;
import keyfleet.member.MemberBuilder;
import keyfleet.member.MemberEvent;
import keyfleet.member.ProcessSettings;
import keyfleet.providers.KekProvider;
import keyfleet.store.CollectionShape;
import keyfleet.store.Kv;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.host.BootClock;

/// The long-running server process: it joins the fleet as any member does, drives rotations, and
/// exports the state of the fleet as metrics.
public final class Server implements AutoCloseable {
  /// The configuration of the process.
  ///
  /// @param software the version of the program, as the roster shows it
  public record Settings(
      KeyringName keyring,
      Set<Role> roles,
      ProcessSettings process,
      String software,
      InetSocketAddress listen,
      RateLimit rateLimit) {
    public Settings {
      roles = Set.copyOf(roles);
      if (roles.isEmpty()) {
        throw new IllegalArgumentException("a server needs at least one role");
      }
    }
  }

  /// A collection of the operator's application whose records rotate with the keyring.
  ///
  /// @param scheme of the URL of its engine
  public record RecordCollection(String scheme, Engine openEngine, CollectionShape shape) {}

  /// The open resources that the process uses. Their owner closes them after the server.
  ///
  /// @param storeChecks results of the safety checks when the store was opened
  /// @param collectionOpener finds the records of registered collections
  public record Resources(
      Kv kv,
      List<StoreCheck> storeChecks,
      CollectionOpener collectionOpener,
      List<KekProvider> providers,
      List<RecordCollection> collections) {}

  private static final int NONCE_BYTES = 16;

  private final Settings settings;
  private final Resources resources;
  private final AuditContext auditContext;
  private final EventLog log;
  private final Failpoints failpoints;
  private final SecureRandom random = new SecureRandom();
  private final LongSupplier clock = BootClock.system();

  /// What [#close] closes, in reverse order.
  private final Deque<AutoCloseable> closeables = new ArrayDeque<>();

  public Server(
      Settings settings,
      Resources resources,
      AuditContext auditContext,
      EventLog log,
      Failpoints failpoints) {
    this.settings = settings;
    this.resources = resources;
    this.auditContext = auditContext;
    this.log = log;
    this.failpoints = failpoints;
  }

  /// Returns when the process sends heartbeats and serves probes. Throws if it must not start, and
  /// then leaves nothing open.
  public void start() {
    try {
      resources.storeChecks().stream()
          .filter(it -> it.level() != StoreCheck.Level.OK)
          .forEach(it -> log.warn(it.sentence() + ". Try: " + it.remedy()));
      String firstUseMessage = new FirstUseCheck(resources.kv(), newNonce(), clock).run();
      if (!firstUseMessage.isEmpty()) {
        log.info(firstUseMessage);
      }
      startTasks(joinFleet());
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private Member joinFleet() {
    MemberBuilder builder =
        Member.builder(resources.kv(), settings.keyring())
            .settings(settings.process())
            .role(Role.toText(settings.roles()))
            .software(settings.software())
            .clock(clock)
            .listener(this::logMemberEvent);
    resources.providers().forEach(builder::provider);
    resources
        .collections()
        .forEach(it -> builder.collection(it.scheme(), it.openEngine(), it.shape()));
    return closeAtEnd(builder.join());
  }

  private void logMemberEvent(MemberEvent event) {
    switch (event.severity()) {
      case INFO -> log.info(event.message());
      case WARNING -> log.warn(event.message());
    }
  }

  private void startTasks(Member member) {
    KeyringStore keyringStore =
        new KeyringStore(
            settings.keyring(), resources.kv(), this::newNonce, failpoints, auditContext);
    BatchExecutor executor =
        settings.roles().contains(Role.WORKER)
            ? closeAtEnd(new ThreadPoolBatchExecutor())
            : BatchExecutor.DIRECT;
    CollectionCatalog catalog =
        new CollectionCatalog(
            keyringStore,
            resources.collectionOpener(),
            executor,
            settings.rateLimit().batchSize(),
            failpoints);
    String driver = member.instance() + "/" + newNonce().substring(0, 8);
    RotationLoop loop = new RotationLoop(driver, keyringStore, catalog, member.keys(), clock);
    RotationWorker worker = new RotationWorker(loop, settings.rateLimit(), log);
    KeyringStore monitoredKeyring =
        new KeyringStore(
            settings.keyring(), resources.kv(), this::newNonce, Failpoints.NONE, auditContext);
    CollectionCatalog monitoredCollections =
        new CollectionCatalog(monitoredKeyring, resources.collectionOpener(), Failpoints.NONE);
    FleetMonitor monitor =
        new FleetMonitor(
            monitoredKeyring, monitoredCollections, member.keys(), settings.roles(), clock);
    if (settings.roles().contains(Role.WORKER)) {
      PeriodicTask workerTask = closeAtEnd(new PeriodicTask("worker", worker::runTick, log));
      closeAtEnd(keyringStore.keystores().watch(workerTask::wake));
      workerTask.start();
    }
    closeAtEnd(new PeriodicTask("monitor", monitor::refresh, log)).start();
    FleetMetrics metrics =
        new FleetMetrics(member, monitor, worker::rewrapped, resources.storeChecks());
    ProbeServer probeServer =
        closeAtEnd(ProbeServer.open(settings.listen(), () -> readiness(member), metrics));
    log.info(
        "listening on %s:%d"
            .formatted(probeServer.address().getHostString(), probeServer.address().getPort()));
  }

  /// A process that may not seal is not ready, but it is alive and opens what it can.
  private static ProbeServer.Readiness readiness(Member member) {
    return new ProbeServer.Readiness("member", member.isReady(), member.state().description());
  }

  private <T extends AutoCloseable> T closeAtEnd(T closeable) {
    closeables.push(closeable);
    return closeable;
  }

  private String newNonce() {
    byte[] bytes = new byte[NONCE_BYTES];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /// Waits for running steps, then leaves the roster, so that no gate waits for this process.
  @Override
  public void close() {
    while (!closeables.isEmpty()) {
      try {
        closeables.pop().close();
      } catch (Exception e) {
        log.warn("cannot stop cleanly: " + e.getMessage());
      }
    }
  }
}
