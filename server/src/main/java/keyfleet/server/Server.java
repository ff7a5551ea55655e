package keyfleet.server;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
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
import keyfleet.member.ProcessSettings;
import keyfleet.member.process.NonceGenerator;
import keyfleet.member.process.PeriodicTask;
import keyfleet.member.process.ResourceStack;
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

  /// How long [#close] waits for a running step.
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

  private final Settings settings;
  private final Resources resources;
  private final AuditContext auditContext;
  private final EventLog log;
  private final Failpoints failpoints;
  private final NonceGenerator nonces = new NonceGenerator();
  private final LongSupplier clock = BootClock.system();

  private final ResourceStack opened;

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
    this.opened = new ResourceStack(log::write);
  }

  /// Returns when the process sends heartbeats and serves probes. Throws if it must not start, and
  /// then leaves nothing open.
  public void start() {
    try {
      resources.storeChecks().stream()
          .filter(it -> it.level() != StoreCheck.Level.OK)
          .forEach(it -> log.warn(it.sentence() + ". Try: " + it.remedy()));
      String firstUseMessage = new FirstUseCheck(resources.kv(), nonces.get(), clock).run();
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
            .listener(log::write);
    resources.providers().forEach(builder::provider);
    resources
        .collections()
        .forEach(it -> builder.collection(it.scheme(), it.openEngine(), it.shape()));
    return opened.closeAtEnd(builder.join());
  }

  private void startTasks(Member member) {
    KeyringStore keyringStore =
        new KeyringStore(settings.keyring(), resources.kv(), nonces, failpoints, auditContext);
    BatchExecutor executor =
        settings.roles().contains(Role.WORKER)
            ? opened.closeAtEnd(new ThreadPoolBatchExecutor())
            : BatchExecutor.DIRECT;
    CollectionCatalog catalog =
        new CollectionCatalog(
            keyringStore,
            resources.collectionOpener(),
            executor,
            settings.rateLimit().batchSize(),
            failpoints);
    String driver = member.instance() + "/" + nonces.get().substring(0, 8);
    RotationLoop loop = new RotationLoop(driver, keyringStore, catalog, member.keys(), clock);
    RotationWorker worker = new RotationWorker(loop, settings.rateLimit(), log);
    KeyringStore monitoredKeyring =
        new KeyringStore(settings.keyring(), resources.kv(), nonces, Failpoints.NONE, auditContext);
    CollectionCatalog monitoredCollections =
        new CollectionCatalog(monitoredKeyring, resources.collectionOpener(), Failpoints.NONE);
    FleetMonitor monitor =
        new FleetMonitor(
            monitoredKeyring, monitoredCollections, member.keys(), settings.roles(), clock);
    if (settings.roles().contains(Role.WORKER)) {
      PeriodicTask workerTask = periodicTask("keyfleet-worker", worker::runTick);
      opened.closeAtEnd(keyringStore.keystores().watch(workerTask::wake));
      workerTask.start();
    }
    periodicTask("keyfleet-monitor", monitor::refresh).start();
    FleetMetrics metrics =
        new FleetMetrics(member, monitor, worker::rewrapped, resources.storeChecks());
    ProbeServer probeServer =
        opened.closeAtEnd(ProbeServer.open(settings.listen(), () -> readiness(member), metrics));
    log.info(
        "listening on %s:%d"
            .formatted(probeServer.address().getHostString(), probeServer.address().getPort()));
  }

  private PeriodicTask periodicTask(String name, Supplier<Duration> step) {
    PeriodicTask task = new PeriodicTask(name, name, step, log::write);
    opened.closeAtEnd(() -> {
      if (!task.stop(STOP_TIMEOUT)) {
        log.warn(
            "%s did not stop within %d s; another process continues its work"
                .formatted(name, STOP_TIMEOUT.toSeconds()));
      }
    });
    return task;
  }

  /// A process that may not seal is not ready, but it is alive and opens what it can.
  private static ProbeServer.Readiness readiness(Member member) {
    return new ProbeServer.Readiness("member", member.isReady(), member.readinessText());
  }

  /// Waits for running steps, then leaves the roster, so that no gate waits for this process.
  @Override
  public void close() {
    opened.close();
  }
}
