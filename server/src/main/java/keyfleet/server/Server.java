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
      RateLimit throttle) {
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
  public record RecordCollection(String engine, Engine at, CollectionShape shape) {}

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
  private final Resources ties;
  private final AuditContext author;
  private final EventLog log;
  private final Failpoints failpoints;
  private final SecureRandom random = new SecureRandom();
  private final LongSupplier clock = BootClock.system();

  /// What must end, the last first.
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  public Server(
      Settings settings, Resources ties, AuditContext author, EventLog log, Failpoints failpoints) {
    this.settings = settings;
    this.ties = ties;
    this.author = author;
    this.log = log;
    this.failpoints = failpoints;
  }

  /// Returns when it beats and answers. Throws if it must not start; nothing is left behind then.
  public void start() {
    try {
      ties.storeChecks().stream()
          .filter(it -> it.level() != StoreCheck.Level.OK)
          .forEach(it -> log.warn(it.sentence() + ". Try: " + it.remedy()));
      String trial = new FirstUseCheck(ties.kv(), nonce(), clock).check();
      if (!trial.isEmpty()) {
        log.info(trial);
      }
      work(joined());
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private Member joined() {
    MemberBuilder builder =
        Member.builder(ties.kv(), settings.keyring())
            .settings(settings.process())
            .role(Role.words(settings.roles()))
            .software(settings.software())
            .clock(clock)
            .listener(this::tell);
    ties.providers().forEach(builder::provider);
    ties.collections().forEach(it -> builder.collection(it.engine(), it.at(), it.shape()));
    return opened(builder.join());
  }

  private void tell(MemberEvent event) {
    switch (event.severity()) {
      case INFO -> log.info(event.message());
      case WARNING -> log.warn(event.message());
    }
  }

  private void work(Member member) {
    KeyringStore keyringStore =
        new KeyringStore(settings.keyring(), ties.kv(), this::nonce, failpoints, author);
    BatchExecutor batchExecutor =
        settings.roles().contains(Role.WORKER)
            ? opened(new ThreadPoolBatchExecutor())
            : BatchExecutor.DIRECT;
    CollectionCatalog collectionCatalog =
        new CollectionCatalog(
            keyringStore,
            ties.stores(),
            batchExecutor,
            settings.throttle().batchSize(),
            failpoints);
    String driver = member.instance() + "/" + nonce().substring(0, 8);
    RotationLoop loop =
        new RotationLoop(driver, keyringStore, collectionCatalog, member.keys(), clock);
    RotationWorker worker = new RotationWorker(loop, settings.throttle(), log);
    KeyringStore unseen =
        new KeyringStore(settings.keyring(), ties.kv(), this::nonce, Failpoints.NONE, author);
    CollectionCatalog counted = new CollectionCatalog(unseen, ties.stores(), Failpoints.NONE);
    FleetMonitor lookout =
        new FleetMonitor(unseen, counted, member.keys(), settings.roles(), clock);
    if (settings.roles().contains(Role.WORKER)) {
      PeriodicTask driving = opened(new PeriodicTask("worker", worker::turn, log));
      opened(keyringStore.watch(driving::ring));
      driving.start();
    }
    opened(new PeriodicTask("lookout", lookout::look, log)).start();
    FleetMetrics metrics = new FleetMetrics(member, lookout, worker::moved, ties.storeChecks());
    ProbeServer door =
        opened(ProbeServer.open(settings.listen(), () -> readiness(member), metrics));
    log.info(
        "listens at %s:%d".formatted(door.address().getHostString(), door.address().getPort()));
  }

  /// A process that may not seal is not ready; it is alive, and opens what it can.
  private static ProbeServer.Readiness readiness(Member member) {
    return new ProbeServer.Readiness("member", member.isReady(), member.state().description());
  }

  private <T extends AutoCloseable> T opened(T one) {
    open.push(one);
    return one;
  }

  private String nonce() {
    byte[] bytes = new byte[NONCE_BYTES];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /// Ends the turn that is under way, then leaves the roster, so that nobody waits for it.
  @Override
  public void close() {
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        log.warn("could not end well: " + e.getMessage());
      }
    }
  }
}
