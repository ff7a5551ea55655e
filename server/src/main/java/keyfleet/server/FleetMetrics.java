package keyfleet.server;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.DoubleStream;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.control.rewrap.RotationProgress;
import keyfleet.crypto.CryptoListener.Operation;
import keyfleet.crypto.CryptoListener.Outcome;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.ReadinessGate.NotReady;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.SafeHold;
import keyfleet.member.Member;
import keyfleet.member.MembershipState;
import keyfleet.member.keys.CryptoMetrics;

/// The Prometheus metrics of one keyring that this process serves, and of its fleet;
/// docs/reference/server.md lists them. Labels are few: one time series for each process and each
/// version, not one for each record.
final class FleetMetrics {
  private static final double NANOS = 1e9;

  private final String keyring;
  private final Member member;
  private final FleetMonitor monitor;
  private final LongSupplier rewrapped;

  FleetMetrics(Member member, FleetMonitor monitor, LongSupplier rewrapped) {
    this.keyring = member.keyring().value();
    this.member = member;
    this.monitor = monitor;
    this.rewrapped = rewrapped;
  }

  List<MetricSnapshot> collect() {
    List<MetricSnapshot> all = new ArrayList<>();
    all.add(
        gauge(
            "keyfleet_ready",
            "1 if this process is admitted and may seal",
            keyPoint(canSeal() ? 1 : 0)));
    all.add(
        gauge(
            "keyfleet_safe_hold",
            "1 if a fence is ahead of the keystore, so that nothing is sealed",
            keyPoint(safeHold().isPresent() ? 1 : 0)));
    all.add(
        CounterSnapshot.builder()
            .name("keyfleet_rotation_rewraps")
            .help("records that this process has rewrapped to another version")
            .dataPoint(counterPoint(keyLabels(), rewrapped.getAsLong()))
            .build());
    addOperations(all);
    all.add(durations());
    monitor.snapshot().ifPresent(it -> addFleet(it, all));
    return all;
  }

  /// Whether values may be sealed: this process is admitted, and the keyring is not in a safe hold.
  boolean canSeal() {
    return member.isReady() && safeHold().isEmpty();
  }

  /// The state of this process in the keyring as a phrase for people.
  String describeState() {
    return safeHold()
        .map(MembershipState.InSafeHold::new)
        .map(MembershipState::description)
        .orElseGet(member::readinessText);
  }

  /// The hold that this process has found for its own collections, or its monitor for any.
  private Optional<SafeHold> safeHold() {
    return member.state() instanceof MembershipState.InSafeHold(SafeHold hold)
        ? Optional.of(hold)
        : monitor.safeHold();
  }

  String keyring() {
    return keyring;
  }

  private void addOperations(List<MetricSnapshot> all) {
    var operations = CounterSnapshot.builder().name("keyfleet_crypto_operations");
    operations.help("values that this process has sealed, opened or rewrapped");
    SortedMap<KekVersion, Long> sealed = new TreeMap<>();
    member
        .keys()
        .metrics()
        .counts()
        .forEach((series, count) -> {
          KekVersion kekVersion = series.version();
          String version = kekVersion == null ? "none" : number(kekVersion);
          operations.dataPoint(
              counterPoint(
                  Labels.of("key", keyring, "version", version)
                      .add("op", lowerCaseName(series.operation()))
                      .add("result", lowerCaseName(series.outcome())),
                  count));
          boolean wrapped = series.outcome() == Outcome.OK && series.operation() != Operation.OPEN;
          if (wrapped && kekVersion != null) {
            sealed.merge(kekVersion, count, Long::sum);
          }
        });
    all.add(operations.build());
    var encryptions = CounterSnapshot.builder().name("keyfleet_kek_encryptions");
    encryptions.help("data keys that this process has wrapped with the version");
    sealed.forEach((version, count) ->
        encryptions.dataPoint(
            counterPoint(Labels.of("key", keyring, "version", number(version)), count)));
    all.add(encryptions.build());
  }

  private MetricSnapshot durations() {
    var points = HistogramSnapshot.builder().name("keyfleet_crypto_operation_duration_seconds");
    points.help("how long it took to seal, open or rewrap a value, failures included");
    double[] bounds =
        DoubleStream.concat(
                CryptoMetrics.BUCKET_BOUNDS.stream().mapToDouble(FleetMetrics::seconds),
                DoubleStream.of(Double.POSITIVE_INFINITY))
            .toArray();
    member
        .keys()
        .metrics()
        .durations()
        .forEach((operation, histogram) -> {
          long[] counts = histogram.counts().stream().mapToLong(Long::longValue).toArray();
          points.dataPoint(
              new HistogramDataPointSnapshot(
                  ClassicHistogramBuckets.of(bounds, counts),
                  seconds(histogram.sum()),
                  Labels.of("key", keyring, "op", lowerCaseName(operation)),
                  Exemplars.EMPTY,
                  0));
        });
    return points.build();
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / NANOS;
  }

  private static CounterDataPointSnapshot counterPoint(Labels labels, long count) {
    return CounterDataPointSnapshot.builder().labels(labels).value((double) count).build();
  }

  private void addFleet(FleetSnapshot snapshot, List<MetricSnapshot> all) {
    List<Heartbeat> fresh = snapshot.roster().fresh(snapshot.keystore().timings().fresh());
    all.add(nodes(fresh));
    all.add(versions(snapshot.keystore()));
    all.add(loaded(snapshot.keystore(), fresh));
    all.add(
        gauge(
            "keyfleet_kek_expected_nodes",
            "processes with a fresh heartbeat",
            keyPoint(fresh.size())));
    all.add(laggards(snapshot));
    all.add(
        gauge(
            "keyfleet_rotation_running",
            "1 while a rotation is running",
            keyPoint(running(snapshot))));
    addRotation(snapshot, all);
    addSlowChecks(snapshot, all);
  }

  private MetricSnapshot nodes(List<Heartbeat> fresh) {
    var points = GaugeSnapshot.builder().name("keyfleet_node_up");
    points.help("1 for each process with a fresh heartbeat");
    for (Heartbeat heartbeat : fresh) {
      points.dataPoint(
          point(
              Labels.of(
                  "key", keyring, "node", heartbeat.instance(), "role", heartbeat.process().role()),
              1));
    }
    return points.build();
  }

  private MetricSnapshot versions(Keystore keystore) {
    var points = InfoSnapshot.builder().name("keyfleet_kek");
    points.help("the state of each KEK version");
    keystore
        .versions()
        .forEach((version, known) ->
            points.dataPoint(
                InfoDataPointSnapshot.builder()
                    .labels(
                        Labels.of(
                            "key",
                            keyring,
                            "version",
                            number(version),
                            "state",
                            lowerCaseName(known.state())))
                    .build()));
    return points.build();
  }

  private MetricSnapshot loaded(Keystore keystore, List<Heartbeat> fresh) {
    var points = GaugeSnapshot.builder().name("keyfleet_kek_loaded_nodes");
    points.help("processes that have loaded the version");
    for (KekVersion version : keystore.versions().keySet()) {
      long count = fresh.stream().filter(it -> it.loadedVersions().containsKey(version)).count();
      points.dataPoint(point(Labels.of("key", keyring, "version", number(version)), count));
    }
    return points.build();
  }

  private MetricSnapshot laggards(FleetSnapshot snapshot) {
    int count =
        snapshot.readiness() instanceof NotReady(var laggards, _, _, _) ? laggards.size() : 0;
    return GaugeSnapshot.builder()
        .name("keyfleet_kek_laggards")
        .help("processes that are not ready for the newest announced version")
        .dataPoint(point(Labels.of("key", keyring, "target", number(snapshot.target())), count))
        .build();
  }

  private static int running(FleetSnapshot snapshot) {
    return Rotation.unfinishedJob(snapshot.keystore().rotation()).isPresent() ? 1 : 0;
  }

  private void addRotation(FleetSnapshot snapshot, List<MetricSnapshot> all) {
    RotationProgress progress = snapshot.rotationProgress();
    if (progress != null) {
      boolean isComplete =
          progress.total() == 0 || snapshot.keystore().rotation() instanceof Rotation.Completed;
      double ratio = isComplete ? 1 : (double) progress.done() / progress.total();
      all.add(
          gauge(
              "keyfleet_rotation_progress_ratio",
              "rewrapped records, as a part of all",
              keyPoint(ratio)));
      all.add(
          gauge(
              "keyfleet_rotation_failed_records",
              "records that could not be rewrapped",
              keyPoint(progress.failed())));
    }
    if (snapshot.driverHeartbeatAge() != null) {
      double seconds = snapshot.driverHeartbeatAge().toMillis() / 1000.0;
      all.add(
          gauge(
              "keyfleet_driver_heartbeat_age_seconds",
              "time since the driver's last heartbeat",
              keyPoint(seconds)));
    }
  }

  private void addSlowChecks(FleetSnapshot snapshot, List<MetricSnapshot> all) {
    Map<KekVersion, Long> envelopes = snapshot.slowChecks().envelopes();
    if (envelopes != null) {
      var points = GaugeSnapshot.builder().name("keyfleet_envelopes");
      points.help("records that need the version, counted by the scheduler every five minutes");
      envelopes.forEach((version, count) ->
          points.dataPoint(point(Labels.of("key", keyring, "version", number(version)), count)));
      all.add(points.build());
    }
    AuditVerdict audit = snapshot.slowChecks().audit();
    if (audit != null && !(audit instanceof AuditVerdict.Unsettled)) {
      int isIntact = audit instanceof AuditVerdict.Intact ? 1 : 0;
      all.add(
          gauge("keyfleet_audit_chain_ok", "1 if the audit chain is intact", keyPoint(isIntact)));
    }
  }

  private static MetricSnapshot gauge(String name, String help, GaugeDataPointSnapshot point) {
    return GaugeSnapshot.builder().name(name).help(help).dataPoint(point).build();
  }

  private Labels keyLabels() {
    return Labels.of("key", keyring);
  }

  private GaugeDataPointSnapshot keyPoint(double value) {
    return point(keyLabels(), value);
  }

  private GaugeDataPointSnapshot keyPoint(long count) {
    return point(keyLabels(), count);
  }

  private static GaugeDataPointSnapshot point(Labels labels, long count) {
    return point(labels, (double) count);
  }

  private static GaugeDataPointSnapshot point(Labels labels, double value) {
    return GaugeDataPointSnapshot.builder().labels(labels).value(value).build();
  }

  private static String number(KekVersion version) {
    return String.valueOf(version.number());
  }

  private static String lowerCaseName(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
