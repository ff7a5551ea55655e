package keyfleet.kms;

import io.grpc.Status;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import keyfleet.kms.grpc.KmsMethod;
import keyfleet.kms.localkek.LocalKekCache;
import keyfleet.kms.tracing.TraceSpan;
import org.jspecify.annotations.Nullable;

/// The metrics of a plugin, listed in docs/reference/kms-plugin.md.
public final class PluginMetrics implements MultiCollector {
  /// The operations of a remote KEK. The names are label values.
  public enum RemoteCall {
    WRAP,
    UNWRAP;

    public TraceSpan.Stage stage() {
      return this == WRAP ? TraceSpan.Stage.REMOTE_WRAP : TraceSpan.Stage.REMOTE_UNWRAP;
    }
  }

  /// Whether the remote answered a call. The names are label values.
  public enum RemoteOutcome {
    ANSWERED,
    FAILED
  }

  /// The values of the gauges at the time of a scrape.
  ///
  /// @param keyIdSeconds since the key_id was announced
  /// @param localKekSeconds since the local KEK was made
  record Gauges(
      int healthy,
      int remoteUp,
      int candidates,
      double keyIdSeconds,
      long localKekUses,
      double localKekSeconds,
      LocalKekCache.CacheStats cache) {}

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double[] BUCKETS = {
    0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 3, 10
  };

  private final Counter operations =
      Counter.builder()
          .name("keyfleet_kms_operations")
          .help("calls of an API server, by method and gRPC code")
          .labelNames("method", "code")
          .withoutExemplars() // exemplars would look for a tracer at each call
          .build();
  private final Histogram latency =
      Histogram.builder()
          .name("keyfleet_kms_latency_seconds")
          .help("duration of whole calls, of work in memory, and of calls to the key provider")
          .labelNames("method", "stage")
          .withoutExemplars()
          .classicUpperBounds(BUCKETS)
          .classicOnly()
          .build();
  private final Counter remoteCalls =
      Counter.builder()
          .name("keyfleet_kms_remote_calls")
          .help("calls to the key provider")
          .labelNames("call", "outcome")
          .withoutExemplars()
          .build();

  private final Map<KmsMethod, CounterDataPoint> okCounters = new EnumMap<>(KmsMethod.class);
  private final Map<KmsMethod, DistributionDataPoint> totals = new EnumMap<>(KmsMethod.class);
  private final DistributionDataPoint local = latency.labelValues("any", "local");
  private final DistributionDataPoint remote = latency.labelValues("any", "remote");
  private volatile @Nullable Supplier<Gauges> gauges;

  PluginMetrics() {
    for (KmsMethod method : KmsMethod.values()) {
      totals.put(method, latency.labelValues(method.rpcName(), "total"));
      okCounters.put(method, operations.labelValues(method.rpcName(), Status.Code.OK.name()));
    }
  }

  /// Sets the source of the gauges, which each scrape reads.
  void readGaugesFrom(Supplier<Gauges> newGauges) {
    gauges = newGauges;
  }

  public void recordCall(KmsMethod method, Status.Code code, long nanos) {
    CounterDataPoint counter = code == Status.Code.OK ? okCounters.get(method) : null;
    (counter == null ? operations.labelValues(method.rpcName(), code.name()) : counter).inc();
    DistributionDataPoint total = totals.get(method);
    if (total != null) {
      total.observe(nanos / NANOS_PER_SECOND);
    }
  }

  public void recordLocalWork(long nanos) {
    local.observe(nanos / NANOS_PER_SECOND);
  }

  public void recordRemoteCall(RemoteCall call, RemoteOutcome outcome, long nanos) {
    remoteCalls
        .labelValues(call.name().toLowerCase(Locale.ROOT), outcome.name().toLowerCase(Locale.ROOT))
        .inc();
    remote.observe(nanos / NANOS_PER_SECOND);
  }

  @Override
  public MetricSnapshots collect() {
    List<MetricSnapshot> all = new ArrayList<>();
    all.add(operations.collect());
    all.add(latency.collect());
    all.add(remoteCalls.collect());
    Supplier<Gauges> source = gauges;
    if (source != null) {
      add(source.get(), all);
    }
    return MetricSnapshots.of(all.toArray(MetricSnapshot[]::new));
  }

  private static void add(Gauges now, List<MetricSnapshot> all) {
    all.add(gauge("healthy", "1 while Status and Encrypt answer", now.healthy()));
    all.add(gauge("remote_up", "1 if the key provider answered the last call", now.remoteUp()));
    all.add(
        gauge(
            "candidate_versions",
            "versions that the key provider has and that are not announced",
            now.candidates()));
    all.add(
        gauge(
            "key_id_age_seconds",
            "seconds since this process announced its key_id",
            now.keyIdSeconds()));
    all.add(
        gauge("local_kek_uses", "values sealed under the local KEK", (double) now.localKekUses()));
    all.add(
        gauge(
            "local_kek_age_seconds",
            "seconds since the local KEK was made",
            now.localKekSeconds()));
    all.add(gauge("local_kek_cache_size", "local KEKs in memory", now.cache().size()));
    all.add(counter("local_kek_cache_hits", "local KEKs found in memory", now.cache().hits()));
    all.add(
        counter("local_kek_cache_misses", "local KEKs not found in memory", now.cache().misses()));
  }

  private static MetricSnapshot gauge(String name, String help, double value) {
    return GaugeSnapshot.builder()
        .name("keyfleet_kms_" + name)
        .help(help)
        .dataPoint(GaugeSnapshot.GaugeDataPointSnapshot.builder().value(value).build())
        .build();
  }

  private static MetricSnapshot counter(String name, String help, long value) {
    return CounterSnapshot.builder()
        .name("keyfleet_kms_" + name)
        .help(help)
        .dataPoint(CounterSnapshot.CounterDataPointSnapshot.builder().value((double) value).build())
        .build();
  }
}
