package keyfleet.kms;

import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import keyfleet.crypto.KeyringName;
import keyfleet.kms.grpc.CallRecorder;
import keyfleet.kms.grpc.KmsGrpcService;
import keyfleet.kms.grpc.SocketPath;
import keyfleet.kms.grpc.SocketTransport;
import keyfleet.kms.grpc.UnixSocketServer;
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
import keyfleet.kms.state.WriteKeyProvisioner;
import keyfleet.kms.tracing.TraceContextInterceptor;
import keyfleet.member.ProcessSettings;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.member.process.PeriodicTask;
import keyfleet.member.process.ResourceStack;
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

  /// Whether Status and Encrypt answer, and if not, why.
  public record Health(boolean isHealthy, String message) {}

  private static final Duration RECONCILE_STOP_TIMEOUT = Duration.ofSeconds(12);
  private static final double NANOS_PER_SECOND = 1e9;

  private final Settings settings;
  private final Supplier<Kv> store;
  private final List<KekProvider> providers;
  private final PluginContext context;
  private final SecureRandom random = new SecureRandom();
  private final PluginMetrics metrics = new PluginMetrics();

  private final ResourceStack resources;
  private @Nullable AnnouncementStore announcements;

  /// The caller closes the store and the providers after the plugin.
  ///
  /// @param store opens the store; throws while the store cannot be opened
  public KmsPlugin(
      Settings settings, Supplier<Kv> store, List<KekProvider> providers, PluginContext context) {
    this.settings = settings;
    this.store = store;
    this.providers = List.copyOf(providers);
    this.context = context;
    this.resources = new ResourceStack(context.events());
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
    LoadedKeys keys = new LoadedKeys(settings.keyring(), providers, random);
    LocalKekCache cache = new LocalKekCache(settings.limits().cacheSize(), context.clock());
    RemoteKekClient remote = new RemoteKekClient(metrics, context.nanos());
    LocalKekFactory factory = new LocalKekFactory(keys, remote, cache, random, context.clock());
    FleetJoiner fleet =
        resources.closeAtEnd(new FleetJoiner(settings, store, keys, announcementStore, context));
    KeyReconciler reconciler =
        new KeyReconciler(
            fleet,
            announcementStore,
            new WriteKeyProvisioner(keys, factory, settings.keyHierarchy(), context.tracer()),
            new KeyReconciler.Settings(settings.limits(), settings.probeInterval()),
            context);
    PeriodicTask reconcileTask =
        new PeriodicTask(
            "keyfleet-reconcile",
            "reconciling keys",
            () -> {
              cache.wipeEvicted();
              return reconciler.reconcile();
            },
            context.events());
    resources.closeAtEnd(() -> {
      var _ = reconcileTask.stop(RECONCILE_STOP_TIMEOUT);
    });
    metrics.readGaugesFrom(() -> gauges(announcementStore, reconciler, cache));
    resources.closeAtEnd(
        UnixSocketServer.start(
            settings.listen(),
            SocketTransport.detect(),
            serviceDefinition(grpcService(announcementStore, factory, reconcileTask)),
            context.events()));
    fleet.start();
    reconcileTask.start();
  }

  private KmsGrpcService grpcService(
      AnnouncementStore announcementStore, LocalKekFactory factory, PeriodicTask reconcileTask) {
    CallRecorder recorder = new CallRecorder(metrics, context, settings.callLog());
    LocalKekUsage usage = new LocalKekUsage(settings.limits(), reconcileTask::wake);
    return new KmsGrpcService(announcementStore, factory, usage, recorder);
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
          new Health(false, CallRefusal.LOCAL_KEK_EXHAUSTED.message());
      case LocalWriteKey(KmsKeyId keyId, LocalKek kek) ->
          kek.passesSelfCheck()
              ? new Health(true, "writes under key_id hash " + keyId.hash())
              : new Health(false, CallRefusal.LOCAL_KEK_UNUSABLE.message());
      case RemoteWriteKey(KmsKeyId keyId, _) ->
          new Health(true, "writes under key_id hash " + keyId.hash());
      case NoWriteKey(CallRefusal refusal) -> new Health(false, refusal.message());
    };
  }

  public PluginMetrics metrics() {
    return metrics;
  }

  /// Ends the current calls, removes the socket, and leaves the fleet.
  @Override
  public void close() {
    resources.close();
  }
}
