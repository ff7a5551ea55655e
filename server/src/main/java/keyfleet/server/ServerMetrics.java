package keyfleet.server;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import keyfleet.store.engine.StoreCheck;

/// The metrics of all keyrings that this process serves, and of the process itself. A metric of
/// several keyrings is one family, whose label `key` tells them apart.
final class ServerMetrics implements MultiCollector {
  private final Supplier<List<FleetMetrics>> keyrings;
  private final List<StoreCheck> checks;

  ServerMetrics(Supplier<List<FleetMetrics>> keyrings, List<StoreCheck> checks) {
    this.keyrings = keyrings;
    this.checks = List.copyOf(checks);
  }

  @Override
  public MetricSnapshots collect() {
    SortedMap<String, MetricSnapshot> byName = new TreeMap<>();
    for (FleetMetrics keyring : keyrings.get()) {
      keyring
          .collect()
          .forEach(it -> byName.merge(it.getMetadata().getName(), it, ServerMetrics::merge));
    }
    MetricSnapshot storeChecks = storeChecks();
    byName.put(storeChecks.getMetadata().getName(), storeChecks);
    return MetricSnapshots.of(byName.values().toArray(MetricSnapshot[]::new));
  }

  /// Two snapshots of one name have one type.
  private static MetricSnapshot merge(MetricSnapshot first, MetricSnapshot second) {
    return switch (first) {
      case GaugeSnapshot it ->
          new GaugeSnapshot(
              it.getMetadata(), points(it, (GaugeSnapshot) second, GaugeSnapshot::getDataPoints));
      case CounterSnapshot it ->
          new CounterSnapshot(
              it.getMetadata(),
              points(it, (CounterSnapshot) second, CounterSnapshot::getDataPoints));
      case HistogramSnapshot it ->
          new HistogramSnapshot(
              it.getMetadata(),
              points(it, (HistogramSnapshot) second, HistogramSnapshot::getDataPoints));
      case InfoSnapshot it ->
          new InfoSnapshot(
              it.getMetadata(), points(it, (InfoSnapshot) second, InfoSnapshot::getDataPoints));
      default -> throw new IllegalStateException("no merge for " + first.getClass());
    };
  }

  private static <S extends MetricSnapshot, P extends DataPointSnapshot> List<P> points(
      S first, S second, Function<S, List<P>> pointsOf) {
    List<P> all = new ArrayList<>(pointsOf.apply(first));
    all.addAll(pointsOf.apply(second));
    return all;
  }

  private MetricSnapshot storeChecks() {
    var points = GaugeSnapshot.builder().name("keyfleet_store_checks");
    points.help("results of the safety checks when the store was opened");
    for (StoreCheck.Level level : StoreCheck.Level.values()) {
      long count = checks.stream().filter(it -> it.level() == level).count();
      points.dataPoint(
          GaugeDataPointSnapshot.builder()
              .labels(Labels.of("level", level.name().toLowerCase(Locale.ROOT)))
              .value((double) count)
              .build());
    }
    return points.build();
  }
}
