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

/// A process that does a fleet's own work: it beats as any member does, drives rotations, and shows
/// how the fleet is.
public final class Server implements AutoCloseable {
  /// What the process is.
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
        throw new IllegalArgumentException("a server without a role does nothing");
      }
    }
  }

  /// A collection of the team's own, whose records rotate with the keyring.
  ///
  /// @param engine the scheme of its URL
  public record RecordCollection(String scheme, Engine openEngine, CollectionShape shape) {}

  /// What the process works with. Its owner closes all of it after the server.
  ///
  /// @param checks what was found on opening the store
  public record Resources(
      Kv kv,
      List<StoreCheck> storeChecks,
      CollectionOpener stores,
      List<KekProvider> providers,
      List<RecordCollection> collections) {}

  private static final int NONCE_BYTES = 16;

  private final Settings settings;
  private final Resources resources;
  private final AuditContext author;
  private final EventLog log;
  private final Failpoints failpoints;
  private final SecureRandom random = new SecureRandom();
  private final LongSupplier clock = BootClock.system();

  /// What must end, the last first.
  private final Deque<AutoCloseable> closeables = new ArrayDeque<>();

  public Server(
      Settings settings,
      Resources resources,
      AuditContext author,
      EventLog log,
      Failpoints failpoints) {
    this.settings = settings;
    this.resources = resources;
    this.author = author;
    this.log = log;
    this.failpoints = failpoints;
  }

  /// Returns when it beats and answers. Throws if it must not start; nothing is left behind then.
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
        new KeyringStore(settings.keyring(), resources.kv(), this::newNonce, failpoints, author);
    BatchExecutor batchExecutor =
        settings.roles().contains(Role.WORKER)
            ? closeAtEnd(new ThreadPoolBatchExecutor())
            : BatchExecutor.DIRECT;
    CollectionCatalog collectionCatalog =
        new CollectionCatalog(
            keyringStore,
            resources.stores(),
            batchExecutor,
            settings.rateLimit().batchSize(),
            failpoints);
    String driver = member.instance() + "/" + newNonce().substring(0, 8);
    RotationLoop loop =
        new RotationLoop(driver, keyringStore, collectionCatalog, member.keys(), clock);
    RotationWorker rotationWorker = new RotationWorker(loop, settings.rateLimit(), log);
    KeyringStore monitoredKeyring =
        new KeyringStore(
            settings.keyring(), resources.kv(), this::newNonce, Failpoints.NONE, author);
    CollectionCatalog monitoredCollections =
        new CollectionCatalog(monitoredKeyring, resources.stores(), Failpoints.NONE);
    FleetMonitor fleetMonitor =
        new FleetMonitor(
            monitoredKeyring, monitoredCollections, member.keys(), settings.roles(), clock);
    if (settings.roles().contains(Role.WORKER)) {
      PeriodicTask workerTask =
          closeAtEnd(new PeriodicTask("worker", rotationWorker::runTurn, log));
      closeAtEnd(keyringStore.watch(workerTask::wake));
      workerTask.start();
    }
    closeAtEnd(new PeriodicTask("lookout", fleetMonitor::refresh, log)).start();
    FleetMetrics metrics =
        new FleetMetrics(member, fleetMonitor, rotationWorker::rewrapped, resources.storeChecks());
    ProbeServer probeServer =
        closeAtEnd(ProbeServer.open(settings.listen(), () -> readiness(member), metrics));
    log.info(
        "listens at %s:%d"
            .formatted(probeServer.address().getHostString(), probeServer.address().getPort()));
  }

  /// A process that may not seal is not ready; it is alive, and opens what it can.
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

  /// Ends the turn that is under way, then leaves the roster, so that nobody waits for it.
  @Override
  public void close() {
    while (!closeables.isEmpty()) {
      try {
        closeables.pop().close();
      } catch (Exception e) {
        log.warn("could not end well: " + e.getMessage());
      }
    }
  }
}
