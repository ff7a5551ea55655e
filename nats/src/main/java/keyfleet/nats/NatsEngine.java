package keyfleet.nats;

import io.nats.client.api.ServerInfo;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import keyfleet.nats.NatsMonitorClient.ServerReport;
import keyfleet.store.CollectionShape;
import keyfleet.store.Kv;
import keyfleet.store.Records;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.Value;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.EnvelopeScan;
import keyfleet.store.engine.LatestStoreTime;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.engine.StoreUrl;

/// The engine on NATS JetStream. It offers [Kv] and no records.
public final class NatsEngine implements Engine {
  private static final Pattern VERSION = Pattern.compile("v?(\\d{1,6})\\.(\\d{1,6})\\b.*");
  private static final int[] MIN_VERSION = {2, 11};

  /// The server sends values as base64.
  private static final long MIN_PAYLOAD = Value.MAX_BYTES / 3 * 4 + (64 << 10);

  /// Monitors are read one after another, so some time passes between their answers.
  private static final Duration MAX_CLOCK_DIFFERENCE = Duration.ofSeconds(2);

  private final NatsConnection connection;
  private final NatsWatchRegistry watchRegistry;
  private final NatsKv kv;
  private final List<StoreCheck> storeChecks;

  private NatsEngine(
      NatsConnection connection,
      NatsWatchRegistry watchRegistry,
      NatsStreamRegistry streams,
      List<StoreCheck> storeChecks) {
    this.connection = connection;
    this.watchRegistry = watchRegistry;
    this.kv = new NatsKv(streams, watchRegistry);
    this.storeChecks = storeChecks;
  }

  public static NatsEngine open(StoreUrl url) {
    NatsSettings settings = NatsSettings.of(url);
    NatsWatchRegistry watchRegistry = new NatsWatchRegistry();
    NatsConnection connection = new NatsConnector(url).connect(watchRegistry);
    try {
      NatsStreamRegistry streams =
          new NatsStreamRegistry(connection, settings, new LatestStoreTime(), url.isForReading());
      StoreCheck server = checkServer(connection);
      NatsDurabilityCheck durabilityCheck = new NatsDurabilityCheck(settings);
      List<ServerReport> reports = durabilityCheck.fetchReports();
      reports.forEach(it -> checkVersion(it.version()));
      List<StoreCheck> storeChecks =
          List.of(
              server,
              durabilityCheck.check(connection.server().getServerId(), reports),
              checkReplicas(streams),
              checkClocks(reports));
      if (url.isForReading() && !streams.exists(streams.clockStream())) {
        throw StoreRefusedException.noStore(url.toString());
      }
      streams.prepare(streams.clockStream());
      return new NatsEngine(connection, watchRegistry, streams, storeChecks);
    } catch (RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  @Override
  public Kv kv() {
    return kv;
  }

  @Override
  public Records records(CollectionShape shape) {
    throw new StoreRefusedException(
        "NATS stores no records", "--records postgresql://HOST/DATABASE");
  }

  @Override
  public EnvelopeScan scanForEnvelopes(EnvelopeScan.Scope scope) {
    return EnvelopeScan.skipped("all of it", "NATS stores no records");
  }

  @Override
  public List<StoreCheck> storeChecks() {
    return storeChecks;
  }

  @Override
  public void close() {
    watchRegistry.close();
    connection.close();
  }

  private static StoreCheck checkServer(NatsConnection connection) {
    ServerInfo server = connection.server();
    checkVersion(server.getVersion());
    if (!server.isJetStreamAvailable()) {
      throw new StoreRefusedException(
          connection.url() + " runs without JetStream",
          "jetstream { store_dir: FOLDER } in its configuration");
    }
    if (server.getMaxPayload() < MIN_PAYLOAD) {
      throw new StoreRefusedException(
          "%s accepts messages of up to %d bytes, but a value may need %d"
              .formatted(connection.url(), server.getMaxPayload(), MIN_PAYLOAD),
          "max_payload: 1MB, which is the default");
    }
    return StoreCheck.ok(
        "nats-server %s checks revisions at the stream's leader".formatted(server.getVersion()));
  }

  private static StoreCheck checkClocks(List<ServerReport> reports) {
    LongSummaryStatistics times =
        reports.stream().mapToLong(it -> it.now().toEpochMilli()).summaryStatistics();
    Duration difference =
        reports.isEmpty() ? Duration.ZERO : Duration.ofMillis(times.getMax() - times.getMin());
    return difference.compareTo(MAX_CLOCK_DIFFERENCE) < 0
        ? StoreCheck.ok("the clocks that the monitors showed agree")
        : StoreCheck.warn(
            "the servers' clocks differ by %s: the age of an entry depends on the server that reads it"
                .formatted(difference),
            "NTP on each server");
  }

  private static StoreCheck checkReplicas(NatsStreamRegistry streams) {
    return streams.replicas() > 1 || !streams.isClustered()
        ? StoreCheck.ok("each write is stored on %d servers".formatted(streams.replicas()))
        : StoreCheck.warn("each write is stored on one server of a cluster", "?replicas=3");
  }

  private static void checkVersion(String version) {
    Matcher parts = VERSION.matcher(version);
    boolean current =
        parts.matches()
            && Arrays.compare(
                    new int[] {Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2))},
                    MIN_VERSION)
                >= 0;
    if (!current) {
      throw new StoreRefusedException(
          "nats-server %s may let several racing writers win, and it ignores message lifetimes"
              .formatted(version),
          "nats-server 2.11 or newer");
    }
  }
}
