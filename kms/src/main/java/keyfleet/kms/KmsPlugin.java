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
import keyfleet.member.ProcessSettings;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.member.process.ProcessEvent;
import keyfleet.providers.KekProvider;
import keyfleet.store.Kv;
import org.jspecify.annotations.Nullable;

/// A KMS v2 plugin. It serves at its socket as soon as it has started, and joins its fleet as soon
/// as the store answers.
public final class KmsPlugin implements AutoCloseable {
  /// How the plugin is configured.
  ///
  /// @param data the folder of its snapshot
  /// @param probeInterval how often the key's provider is tried
  /// @param software the version of the program, as the roster shows it
  public record Settings(
      KeyringName keyring,
      SocketPath listen,
      String cluster,
      Path data,
      KeyHierarchy keyHierarchy,
      LocalKekLimits limits,
      Duration probeInterval,
      CallLog callLog,
      ProcessSettings process,
      String software) {}

  /// What the plugin works with. The caller closes these after the plugin.
  ///
  /// @param kv opens the store; throws while the store cannot be opened
  public record Dependencies(Supplier<Kv> kv, List<KekProvider> providers) {
    public Dependencies {
      providers = List.copyOf(providers);
    }
  }

  /// Whether Status and Encrypt answer, and if not, why.
  public record Health(boolean isHealthy, String message) {}

  /// The role in the roster.
  private static final String ROLE = "kms-plugin";

  private static final int NONCE_BYTES = 16;
  private static final double NANOS_PER_SECOND = 1e9;

  private final Settings settings;
  private final Dependencies dependencies;
  private final PluginContext context;
  private final SecureRandom random = new SecureRandom();
  private final PluginMetrics metrics = new PluginMetrics();

  /// What [#close] closes, the last opened first.
  private final Deque<AutoCloseable> closeables = new ArrayDeque<>();

  private @Nullable AnnouncementStore announcements;

  public KmsPlugin(Settings settings, Dependencies dependencies, PluginContext context) {
    this.settings = settings;
    this.dependencies = dependencies;
    this.context = context;
  }

  /// Returns as soon as the plugin listens, even if it cannot answer calls yet. Throws
  /// [PluginException] if its socket cannot be opened or its snapshot cannot be read, and then
  /// leaves nothing open.
  public void start() {
    try {
      serve();
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private void serve() {
    AnnouncementStore announcementStore =
        new AnnouncementStore(pluginSnapshotFile(), context.events(), context.clock());
    announcements = announcementStore;
    LoadedKeys keys = new LoadedKeys(settings.keyring(), dependencies.providers(), random);
    LocalKekCache cache = new LocalKekCache(settings.limits().cacheSize());
    RemoteKekClient remote = new RemoteKekClient(metrics, context.nanos());
    LocalKekFactory factory = new LocalKekFactory(keys, remote, cache, random, context.clock());
    FleetJoiner fleet = closeAtEnd(new FleetJoiner(joinSettings(keys), context));
    KeyReconciler reconciler =
        new KeyReconciler(
            fleet,
            announcementStore,
            new WriteKeyProvisioner(keys, factory, settings.keyHierarchy(), context.tracer()),
            new KeyReconciler.Settings(settings.limits(), settings.probeInterval()),
            context);
    ReconcileLoop reconcileLoop =
        closeAtEnd(
            new ReconcileLoop(
                () -> {
                  cache.wipeEvicted();
                  return reconciler.reconcile();
                },
                context.events()));
    metrics.readGaugesFrom(() -> gauges(announcementStore, reconciler, cache));
    closeAtEnd(
        UnixSocketServer.start(
            settings.listen(),
            SocketTransport.detect(),
            serviceDefinition(grpcService(announcementStore, factory, reconcileLoop)),
            context.events()));
    fleet.start();
    reconcileLoop.start();
  }

  private KmsGrpcService grpcService(
      AnnouncementStore announcementStore, LocalKekFactory factory, ReconcileLoop reconcileLoop) {
    CallRecorder recorder = new CallRecorder(metrics, context, settings.callLog());
    UnwrapCoalescer coalescer = new UnwrapCoalescer();
    LocalKekUsage usage = new LocalKekUsage(settings.limits(), reconcileLoop::wake);
    return new KmsGrpcService(
        announcementStore,
        new EncryptHandler(announcementStore, factory, coalescer, usage, recorder),
        new DecryptHandler(announcementStore, factory, coalescer, recorder),
        recorder);
  }

  private ServerServiceDefinition serviceDefinition(KmsGrpcService grpcService) {
    return context.tracer() == null
        ? grpcService.bindService()
        : ServerInterceptors.intercept(grpcService, new TraceContextInterceptor());
  }

  /// The snapshot's file is named after the socket, because two plugins on one host may serve two
  /// clusters.
  private PluginSnapshotFile pluginSnapshotFile() {
    String name = settings.listen().toString().substring(1).replace("%", "%25").replace("/", "%2F");
    return new PluginSnapshotFile(settings.data().resolve("kms-plugin").resolve(name + ".json"));
  }

  private FleetJoiner.JoinSettings joinSettings(LoadedKeys keys) {
    CollectionRegistration cluster =
        CollectionRegistration.ofCluster(settings.keyring(), settings.cluster());
    return new FleetJoiner.JoinSettings(
        dependencies.kv(),
        kv ->
            Member.builder(kv, settings.keyring())
                .settings(settings.process())
                .role(ROLE)
                .software(settings.software())
                .clock(context.clock())
                .keys(keys)
                .listener(context.events()),
        cluster,
        this::randomNonce);
  }

  private PluginMetrics.Gauges gauges(
      AnnouncementStore announcementStore, KeyReconciler reconciler, LocalKekCache cache) {
    Announcement.WriteKey writeKey = announcementStore.get().writeKey();
    long now = context.clock().getAsLong();
    long uses = 0;
    double age = 0;
    if (writeKey instanceof LocalWriteKey(_, LocalKek kek)) {
      uses = kek.uses();
      age = (now - kek.createdAtNanos()) / NANOS_PER_SECOND;
    }
    return new PluginMetrics.Gauges(
        health(writeKey).isHealthy() ? 1 : 0,
        reconciler.isRemoteUp() ? 1 : 0,
        reconciler.candidateCount(),
        (now - announcementStore.announcedAtNanos()) / NANOS_PER_SECOND,
        uses,
        age,
        cache.stats());
  }

  /// The health of the plugin, with one line of text.
  public Health health() {
    AnnouncementStore announcementStore = announcements;
    return announcementStore == null
        ? new Health(false, "the plugin has not started")
        : health(announcementStore.get().writeKey());
  }

  private static Health health(Announcement.WriteKey writeKey) {
    return switch (writeKey) {
      case LocalWriteKey(_, LocalKek kek) when kek.isExhausted() ->
          new Health(false, EncryptHandler.LOCAL_KEK_EXHAUSTED.message());
      case LocalWriteKey(KmsKeyId keyId, _) ->
          new Health(true, "writes under key_id hash " + keyId.hash());
      case RemoteWriteKey(KmsKeyId keyId, _) ->
          new Health(true, "writes under key_id hash " + keyId.hash());
      case NoWriteKey(CallRefusal refusal) -> new Health(false, refusal.message());
    };
  }

  public PluginMetrics metrics() {
    return metrics;
  }

  private <T extends AutoCloseable> T closeAtEnd(T one) {
    closeables.push(one);
    return one;
  }

  private String randomNonce() {
    byte[] bytes = new byte[NONCE_BYTES];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /// Ends the current calls, removes the socket, and leaves the fleet.
  @Override
  public void close() {
    while (!closeables.isEmpty()) {
      try {
        closeables.pop().close();
      } catch (Exception e) {
        context.events().accept(ProcessEvent.warning("cannot stop cleanly: " + e.getMessage()));
      }
    }
  }
}
