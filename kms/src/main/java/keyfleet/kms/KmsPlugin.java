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
import keyfleet.kms.Announced.Locally;
import keyfleet.kms.Announced.Remotely;
import keyfleet.kms.Announced.Stopped;
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
      Hierarchy hierarchy,
      LocalKekLimits limits,
      Duration probe,
      CallLog callLog,
      ProcessSettings process,
      String software) {}

  /// What the plugin works with; its owner closes it after the plugin.
  ///
  /// @param kv opens the store; throws while it cannot be had
  /// @param observer is told what happens to the member
  public record Ties(Supplier<Kv> kv, List<KekProvider> providers, MemberListener memberListener) {
    public Ties {
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
  private final Ties ties;
  private final Surroundings around;
  private final SecureRandom random = new SecureRandom();
  private final PluginMetrics metrics = new PluginMetrics();

  /// What must end, the last first.
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  private @Nullable Ledger ledger;

  public KmsPlugin(Settings settings, Ties ties, Surroundings around) {
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
    Ledger known = new Ledger(snapshotFile(), around.events(), around.clock());
    ledger = known;
    LoadedKeys keys = new LoadedKeys(settings.keyring(), ties.providers(), random);
    LocalKeks cache = new LocalKeks(settings.limits().cached());
    Remote remote = new Remote(metrics, around.nanos());
    Workshop workshop = new Workshop(keys, remote, cache, random, around.clock());
    Enlistment fleet = opened(new Enlistment(way(keys), around));
    Keeper keeper =
        new Keeper(
            fleet,
            known,
            new Maker(keys, workshop, settings.hierarchy(), around.tracing()),
            new Keeper.Settings(settings.limits(), settings.probe()),
            around);
    Rounds rounds =
        opened(
            new Rounds(
                () -> {
                  cache.wipe();
                  return keeper.turn();
                },
                around.events()));
    metrics.gauges(() -> gauges(known, keeper, cache));
    opened(
        Listener.open(
            settings.listen(),
            Transport.here(),
            service(endpoint(known, workshop, rounds)),
            around.events()));
    fleet.start();
    rounds.start();
  }

  private Endpoint endpoint(Ledger known, Workshop workshop, Rounds rounds) {
    Counter counter = new Counter(metrics, around, settings.callLog());
    Flights flights = new Flights();
    Usage usage = new Usage(settings.limits(), rounds::ring);
    return new Endpoint(
        known,
        new Encryption(known, workshop, flights, usage, counter),
        new Decryption(known, workshop, flights, counter),
        counter);
  }

  private ServerServiceDefinition service(Endpoint endpoint) {
    return around.tracing() == null
        ? endpoint.bindService()
        : ServerInterceptors.intercept(endpoint, new CallerTrace());
  }

  /// One for each socket: two plugins of one host may be of two clusters.
  private SnapshotFile snapshotFile() {
    String name = settings.listen().toString().substring(1).replace("%", "%25").replace("/", "%2F");
    return new SnapshotFile(settings.data().resolve("kms-plugin").resolve(name + ".json"));
  }

  private Enlistment.Way way(LoadedKeys keys) {
    CollectionRegistration cluster =
        CollectionRegistration.ofCluster(settings.keyring(), settings.cluster());
    return new Enlistment.Way(
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

  private PluginMetrics.Gauges gauges(Ledger known, Keeper keeper, LocalKeks cache) {
    Announced.Writing writing = known.get().writing();
    long now = around.clock().getAsLong();
    long uses = 0;
    double age = 0;
    if (writing instanceof Locally(_, LocalKek kek)) {
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
    Ledger known = ledger;
    return known == null ? new Health(false, "it has not started") : health(known.get().writing());
  }

  private static Health health(Announced.Writing writing) {
    return switch (writing) {
      case Locally(_, LocalKek kek) when kek.isSpent() ->
          new Health(false, Encryption.SPENT.sentence());
      case Locally(KeyId keyId, _) -> new Health(true, "writes under key_id hash " + keyId.hash());
      case Remotely(KeyId keyId, _) -> new Health(true, "writes under key_id hash " + keyId.hash());
      case Stopped(Refusal why) -> new Health(false, why.sentence());
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
        around
            .events()
            .accept(new PluginEvent.OutsideFleet("could not end well: " + e.getMessage()));
      }
    }
  }
}
