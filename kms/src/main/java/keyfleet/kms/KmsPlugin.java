package keyfleet.kms;

import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Supplier;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.kms.grpc.CallRecorder;
import keyfleet.kms.grpc.DecryptHandler;
import keyfleet.kms.grpc.EncryptHandler;
import keyfleet.kms.grpc.KmsGrpcService;
import keyfleet.kms.grpc.SocketPath;
import keyfleet.kms.grpc.SocketTransport;
import keyfleet.kms.grpc.UnixSocketServer;
import keyfleet.kms.grpc.UnwrapCoalescer;
import keyfleet.kms.localkek.KeyHierarchy;
import keyfleet.kms.localkek.LocalKek;
import keyfleet.kms.localkek.LocalKekCache;
import keyfleet.kms.localkek.LocalKekFactory;
import keyfleet.kms.localkek.LocalKekLimits;
import keyfleet.kms.localkek.LocalKekUsage;
import keyfleet.kms.localkek.RemoteKekClient;
import keyfleet.kms.state.Announcement;
import keyfleet.kms.state.Announcement.LocalWriteKey;
import keyfleet.kms.state.Announcement.NoWriteKey;
import keyfleet.kms.state.Announcement.RemoteWriteKey;
import keyfleet.kms.state.AnnouncementStore;
import keyfleet.kms.state.CallRefusal;
import keyfleet.kms.state.FleetJoiner;
import keyfleet.kms.state.KeyReconciler;
import keyfleet.kms.state.PluginSnapshotFile;
import keyfleet.kms.state.ReconcileLoop;
import keyfleet.kms.state.WriteKeyProvisioner;
import keyfleet.kms.tracing.TraceContextInterceptor;
import keyfleet.member.Member;
import keyfleet.member.MemberListener;
import keyfleet.member.ProcessSettings;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.providers.KekProvider;
import keyfleet.store.Kv;
import org.jspecify.annotations.Nullable;

/// A KMS v2 plugin: serves at its socket from the moment it starts, and is a member of its fleet as
/// soon as the store lets it.
public final class KmsPlugin implements AutoCloseable {
  /// What the plugin is.
  ///
  /// @param data where its snapshot is kept
  /// @param probe after this long the key's provider is tried
  /// @param software the version of the program, as the roster shows it
  public record Settings(
      KeyringName keyring,
      SocketPath listen,
      String cluster,
      Path data,
      KeyHierarchy hierarchy,
      LocalKekLimits limits,
      Duration probe,
      CallLog callLog,
      ProcessSettings process,
      String software) {}

  /// What the plugin works with; its owner closes it after the plugin.
  ///
  /// @param kv opens the store; throws while it cannot be had
  /// @param observer is told what happens to the member
  public record Dependencies(
      Supplier<Kv> kv, List<KekProvider> providers, MemberListener memberListener) {
    public Dependencies {
      providers = List.copyOf(providers);
    }
  }

  /// Whether Status and Encrypt answer; if not, why.
  public record Health(boolean healthy, String words) {}

  /// What the roster shows.
  private static final String ROLE = "kms-plugin";

  private static final int NONCE_BYTES = 16;
  private static final double SECOND = 1e9;

  private final Settings settings;
  private final Dependencies ties;
  private final PluginContext around;
  private final SecureRandom random = new SecureRandom();
  private final PluginMetrics metrics = new PluginMetrics();

  /// What must end, the last first.
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  private @Nullable AnnouncementStore ledger;

  public KmsPlugin(Settings settings, Dependencies ties, PluginContext around) {
    this.settings = settings;
    this.ties = ties;
    this.around = around;
  }

  /// Returns when it listens; whether it can answer is another matter. Throws [PluginException] if
  /// its socket or its snapshot is not to be had; nothing is left behind then.
  public void start() {
    try {
      serve();
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private void serve() {
    AnnouncementStore known =
        new AnnouncementStore(snapshotFile(), around.events(), around.clock());
    ledger = known;
    LoadedKeys keys = new LoadedKeys(settings.keyring(), ties.providers(), random);
    LocalKekCache cache = new LocalKekCache(settings.limits().cached());
    RemoteKekClient remote = new RemoteKekClient(metrics, around.nanos());
    LocalKekFactory workshop = new LocalKekFactory(keys, remote, cache, random, around.clock());
    FleetJoiner fleet = opened(new FleetJoiner(way(keys), around));
    KeyReconciler keeper =
        new KeyReconciler(
            fleet,
            known,
            new WriteKeyProvisioner(keys, workshop, settings.hierarchy(), around.tracing()),
            new KeyReconciler.Settings(settings.limits(), settings.probe()),
            around);
    ReconcileLoop rounds =
        opened(
            new ReconcileLoop(
                () -> {
                  cache.wipe();
                  return keeper.turn();
                },
                around.events()));
    metrics.gauges(() -> gauges(known, keeper, cache));
    opened(
        UnixSocketServer.open(
            settings.listen(),
            SocketTransport.here(),
            service(endpoint(known, workshop, rounds)),
            around.events()));
    fleet.start();
    rounds.start();
  }

  private KmsGrpcService endpoint(
      AnnouncementStore known, LocalKekFactory workshop, ReconcileLoop rounds) {
    CallRecorder counter = new CallRecorder(metrics, around, settings.callLog());
    UnwrapCoalescer flights = new UnwrapCoalescer();
    LocalKekUsage usage = new LocalKekUsage(settings.limits(), rounds::ring);
    return new KmsGrpcService(
        known,
        new EncryptHandler(known, workshop, flights, usage, counter),
        new DecryptHandler(known, workshop, flights, counter),
        counter);
  }

  private ServerServiceDefinition service(KmsGrpcService endpoint) {
    return around.tracing() == null
        ? endpoint.bindService()
        : ServerInterceptors.intercept(endpoint, new TraceContextInterceptor());
  }

  /// One for each socket: two plugins of one host may be of two clusters.
  private PluginSnapshotFile snapshotFile() {
    String name = settings.listen().toString().substring(1).replace("%", "%25").replace("/", "%2F");
    return new PluginSnapshotFile(settings.data().resolve("kms-plugin").resolve(name + ".json"));
  }

  private FleetJoiner.JoinSettings way(LoadedKeys keys) {
    CollectionRegistration cluster =
        CollectionRegistration.ofCluster(settings.keyring(), settings.cluster());
    return new FleetJoiner.JoinSettings(
        ties.kv(),
        kv ->
            Member.builder(kv, settings.keyring())
                .settings(settings.process())
                .role(ROLE)
                .software(settings.software())
                .clock(around.clock())
                .keys(keys)
                .listener(ties.memberListener()),
        cluster,
        this::nonce);
  }

  private PluginMetrics.Gauges gauges(
      AnnouncementStore known, KeyReconciler keeper, LocalKekCache cache) {
    Announcement.WriteKey writing = known.get().writing();
    long now = around.clock().getAsLong();
    long uses = 0;
    double age = 0;
    if (writing instanceof LocalWriteKey(_, LocalKek kek)) {
      uses = kek.uses();
      age = (now - kek.bornAt()) / SECOND;
    }
    return new PluginMetrics.Gauges(
        health(writing).healthy() ? 1 : 0,
        keeper.isRemoteUp() ? 1 : 0,
        keeper.candidates(),
        (now - known.announcedAt()) / SECOND,
        uses,
        age,
        cache.count());
  }

  /// How the plugin is, in one line.
  public Health health() {
    AnnouncementStore known = ledger;
    return known == null ? new Health(false, "it has not started") : health(known.get().writing());
  }

  private static Health health(Announcement.WriteKey writing) {
    return switch (writing) {
      case LocalWriteKey(_, LocalKek kek) when kek.isSpent() ->
          new Health(false, EncryptHandler.SPENT.sentence());
      case LocalWriteKey(KmsKeyId keyId, _) ->
          new Health(true, "writes under key_id hash " + keyId.hash());
      case RemoteWriteKey(KmsKeyId keyId, _) ->
          new Health(true, "writes under key_id hash " + keyId.hash());
      case NoWriteKey(CallRefusal why) -> new Health(false, why.sentence());
    };
  }

  public PluginMetrics metrics() {
    return metrics;
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

  /// Ends the calls that are under way, removes the socket, leaves the roster.
  @Override
  public void close() {
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        around.events().accept(new PluginEvent.JoinFailed("could not end well: " + e.getMessage()));
      }
    }
  }
}
