package keyfleet.server;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditContext;
import keyfleet.control.rewrap.BatchExecutor;
import keyfleet.control.rewrap.CollectionOpener;
import keyfleet.control.rewrap.ThreadPoolBatchExecutor;
import keyfleet.control.rotation.CollectionCatalog;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.control.rotation.RotationLoop;
import keyfleet.crypto.KeyfleetException;
import keyfleet.crypto.KeyringName;
import keyfleet.member.Member;
import keyfleet.member.MemberBuilder;
import keyfleet.member.ProcessSettings;
import keyfleet.member.document.KeystoreStore;
import keyfleet.member.process.NonceGenerator;
import keyfleet.member.process.PeriodicTask;
import keyfleet.member.process.ResourceStack;
import keyfleet.providers.KekProvider;
import keyfleet.store.CollectionShape;
import keyfleet.store.Kv;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.host.BootClock;

/// The long-running server process: for each of its keyrings it joins the fleet as any member does,
/// drives rotations, and exports the state of the fleet as metrics.
public final class Server implements AutoCloseable {
  /// The configuration of the process.
  ///
  /// @param software the version of the program, as the roster shows it
  public record Settings(
      KeyringSelection keyrings,
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
  public record RecordCollection(
      KeyringName keyring, String scheme, Engine openEngine, CollectionShape shape) {}

  /// The open resources that the process uses. Their owner closes them after the server.
  ///
  /// @param storeChecks results of the safety checks when the store was opened
  /// @param collectionOpener finds the records of registered collections
  /// @param openProviders opens the key providers of a keyring
  public record Resources(
      Kv kv,
      List<StoreCheck> storeChecks,
      CollectionOpener collectionOpener,
      Function<KeyringName, List<KekProvider>> openProviders,
      List<RecordCollection> collections) {}

  /// A keyring that this process serves, until it closes what was opened for it.
  private record ServedKeyring(KeyringName name, FleetMetrics metrics, ResourceStack opened) {}

  /// How long [#close] waits for a running step.
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

  /// How often a server of all keyrings looks for new ones.
  private static final Duration DISCOVERY_INTERVAL = Duration.ofSeconds(5);

  private final Settings settings;
  private final Resources resources;
  private final AuditContext auditContext;
  private final EventLog log;
  private final Failpoints failpoints;
  private final NonceGenerator nonces = new NonceGenerator();
  private final LongSupplier clock = BootClock.system();

  private final ResourceStack opened;
  private final List<ServedKeyring> served = new CopyOnWriteArrayList<>();
  private String lastDiscoveryFailure = "";

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
      opened.closeAtEnd(this::closeKeyrings);
      selectedKeyrings().forEach(this::serve);
      if (settings.keyrings().isAll()) {
        periodicTask(opened, log, "keyfleet-keyrings", this::discoverKeyrings).start();
      }
      openProbeServer();
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private List<KeyringName> selectedKeyrings() {
    return settings.keyrings().isAll() ? existingKeyrings() : settings.keyrings().named();
  }

  private List<KeyringName> existingKeyrings() {
    return List.copyOf(KeystoreStore.list(resources.kv()).keySet());
  }

  /// Serves the keyrings that were announced since the last call. One that cannot be served now is
  /// logged once and tried again.
  private Duration discoverKeyrings() {
    String failure = "";
    try {
      for (KeyringName keyring : existingKeyrings()) {
        if (served.stream().noneMatch(it -> it.name().equals(keyring))) {
          serve(keyring);
        }
      }
    } catch (KeyfleetException e) {
      failure = "cannot serve all keyrings, and retries: " + e.getMessage();
    }
    if (!failure.isEmpty() && !failure.equals(lastDiscoveryFailure)) {
      log.warn(failure);
    }
    lastDiscoveryFailure = failure;
    return DISCOVERY_INTERVAL;
  }

  /// Joins the fleet of the keyring and starts the threads for it.
  private void serve(KeyringName keyring) {
    EventLog keyringLog = settings.keyrings().hasSeveral() ? log.forKeyring(keyring) : log;
    ResourceStack keyringOpened = new ResourceStack(keyringLog::write);
    try {
      Member member = joinFleet(keyring, keyringLog, keyringOpened);
      FleetMetrics metrics = startTasks(member, keyringLog, keyringOpened);
      served.add(new ServedKeyring(keyring, metrics, keyringOpened));
    } catch (RuntimeException e) {
      keyringOpened.close();
      throw e;
    }
  }

  private Member joinFleet(KeyringName keyring, EventLog keyringLog, ResourceStack keyringOpened) {
    MemberBuilder builder =
        Member.builder(resources.kv(), keyring)
            .settings(settings.process())
            .role(Role.toText(settings.roles()))
            .software(settings.software())
            .clock(clock)
            .listener(keyringLog::write);
    resources.openProviders().apply(keyring).forEach(builder::provider);
    resources.collections().stream()
        .filter(it -> it.keyring().equals(keyring))
        .forEach(it -> builder.collection(it.scheme(), it.openEngine(), it.shape()));
    return keyringOpened.closeAtEnd(builder.join());
  }

  private FleetMetrics startTasks(Member member, EventLog keyringLog, ResourceStack keyringOpened) {
    KeyringName keyring = member.keyring();
    KeyringStore keyringStore =
        new KeyringStore(keyring, resources.kv(), nonces, failpoints, auditContext);
    BatchExecutor executor =
        settings.roles().contains(Role.WORKER)
            ? keyringOpened.closeAtEnd(new ThreadPoolBatchExecutor())
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
    RotationWorker worker = new RotationWorker(loop, settings.rateLimit(), keyringLog);
    KeyringStore monitoredKeyring =
        new KeyringStore(keyring, resources.kv(), nonces, Failpoints.NONE, auditContext);
    CollectionCatalog monitoredCollections =
        new CollectionCatalog(monitoredKeyring, resources.collectionOpener(), Failpoints.NONE);
    FleetMonitor monitor =
        new FleetMonitor(
            monitoredKeyring,
            monitoredCollections,
            member.keys(),
            settings.roles(),
            clock,
            keyringLog);
    String suffix = settings.keyrings().hasSeveral() ? "-" + keyring : "";
    if (settings.roles().contains(Role.WORKER)) {
      PeriodicTask workerTask =
          periodicTask(keyringOpened, keyringLog, "keyfleet-worker" + suffix, worker::runTick);
      keyringOpened.closeAtEnd(keyringStore.keystores().watch(workerTask::wake));
      workerTask.start();
    }
    periodicTask(keyringOpened, keyringLog, "keyfleet-monitor" + suffix, monitor::refresh).start();
    return new FleetMetrics(member, monitor, worker::rewrapped);
  }

  private void openProbeServer() {
    ServerMetrics metrics =
        new ServerMetrics(
            () -> served.stream().map(ServedKeyring::metrics).toList(), resources.storeChecks());
    ProbeServer probeServer =
        opened.closeAtEnd(ProbeServer.open(settings.listen(), this::readiness, metrics));
    log.info(
        "listening on %s:%d"
            .formatted(probeServer.address().getHostString(), probeServer.address().getPort()));
  }

  private static PeriodicTask periodicTask(
      ResourceStack stack, EventLog taskLog, String name, Supplier<Duration> step) {
    PeriodicTask task = new PeriodicTask(name, name, step, taskLog::write);
    stack.closeAtEnd(() -> {
      if (!task.stop(STOP_TIMEOUT)) {
        taskLog.warn(
            "%s did not stop within %d s; another process continues its work"
                .formatted(name, STOP_TIMEOUT.toSeconds()));
      }
    });
    return task;
  }

  /// A process that may not seal in one of its keyrings is not ready, but it is alive and opens
  /// what it can.
  private ProbeServer.Readiness readiness() {
    List<FleetMetrics> all = served.stream().map(ServedKeyring::metrics).toList();
    if (all.isEmpty()) {
      return new ProbeServer.Readiness(
          "member", false, "no keyring exists. Try: keyfleet kek announce --version=1");
    }
    String detail =
        settings.keyrings().hasSeveral()
            ? all.stream()
                .map(it -> it.keyring() + ": " + it.describeState())
                .collect(Collectors.joining("; "))
            : all.getFirst().describeState();
    return new ProbeServer.Readiness(
        "member", all.stream().allMatch(FleetMetrics::canSeal), detail);
  }

  private void closeKeyrings() {
    served.reversed().forEach(it -> it.opened().close());
  }

  /// Waits for running steps, then leaves the roster, so that no gate waits for this process.
  @Override
  public void close() {
    opened.close();
  }
}
