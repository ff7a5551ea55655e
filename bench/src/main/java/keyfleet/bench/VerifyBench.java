package keyfleet.bench;

import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import keyfleet.control.rotation.ReadinessVerifier;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.Proof;
import keyfleet.crypto.ProofCache;
import keyfleet.crypto.Sentinel.Claim;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Heartbeat.Host;
import keyfleet.keyring.Heartbeat.LoadedVersion;
import keyfleet.keyring.Heartbeat.ProcessInfo;
import keyfleet.keyring.Heartbeat.Proved;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.ReadinessGate.AnyProcesses;
import keyfleet.keyring.ReadinessGate.Ready;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionEntry;
import keyfleet.member.document.HeartbeatDocument;
import keyfleet.member.heartbeat.ProcessIdentity;
import keyfleet.store.engine.Engine;

/// Compares the gate of `kek verify` over a large fleet with reading the same rows through the
/// driver, in turns.
final class VerifyBench {
  private static final int ROUNDS = 9;
  private static final int BATCH = 10_000;
  private static final double BAR = 2.5;

  /// Long enough for all heartbeats to stay fresh.
  private static final Timings TIMINGS =
      new Timings(
          Duration.ofMinutes(10),
          Duration.ofMinutes(30),
          Duration.ofMinutes(40),
          Duration.ofMinutes(50),
          Duration.ofMinutes(30));

  private final PrintStream out;
  private final Stopwatch watch;
  private final int processes;

  VerifyBench(PrintStream out, Stopwatch watch, int processes) {
    this.out = out;
    this.watch = watch;
    this.processes = processes;
  }

  void run(List<String> engines, ScratchFolder scratch) throws Exception {
    out.printf(
        "verify over %,d heartbeats, ms, median of %d    (ratio: to reading the rows raw; bar <="
            + " %.1f)%n",
        processes, ROUNDS, BAR);
    for (String engine : engines) {
      SqlDatabase.measure(engine, scratch, out, this::compare);
    }
  }

  private void compare(SqlDatabase database) throws Exception {
    try (Engine engine = database.openEngine()) {
      BenchWorker worker = new BenchWorker(engine.kv(), watch.nanos());
      worker.bootstrap(TIMINGS);
      try (Connection connection = database.heartbeatConnector().connect()) {
        Heartbeats heartbeats =
            new Heartbeats(worker, database, connection, engine.kv().storeTime().millis());
        heartbeats.fill();
        compare(database.name(), worker, heartbeats);
      }
    }
  }

  private void compare(String name, BenchWorker worker, Heartbeats heartbeats) throws Exception {
    ReadinessVerifier verifier = worker.readinessVerifier();
    double[] verifySeconds = new double[ROUNDS];
    double[] readSeconds = new double[ROUNDS];
    CostMeter verifyCost = new CostMeter(watch);
    CostMeter readCost = new CostMeter(watch);
    for (int i = 0; i < ROUNDS; i++) {
      readSeconds[i] = readCost.add(heartbeats::read);
      verifySeconds[i] = verifyCost.add(() -> verify(worker, verifier));
    }
    print(name, Stopwatch.median(verifySeconds), Stopwatch.median(readSeconds));
    print("fastest", Stopwatch.quantile(0, verifySeconds), Stopwatch.quantile(0, readSeconds));
    print("CPU, mean", verifyCost.cpuSeconds() / ROUNDS, readCost.cpuSeconds() / ROUNDS);
  }

  private void print(String what, double gate, double raw) {
    out.printf(
        "  %-11s gate %8.1f   raw read %8.1f   ratio %.2f%n",
        what, gate * 1e3, raw * 1e3, gate / raw);
  }

  private void verify(BenchWorker worker, ReadinessVerifier verifier) {
    var verdict = verifier.verify(worker.keystore(), BenchWorker.V2, new AnyProcesses());
    if (!(verdict instanceof Ready(int ready, _)) || ready != processes + 1) {
      throw new IllegalStateException("the fleet should be ready, but is " + verdict.getClass());
    }
  }

  /// Writes and reads the heartbeats of a fleet, each with proofs of both versions.
  private final class Heartbeats {
    private final BenchWorker worker;
    private final SqlDatabase database;
    private final Connection connection;
    private final Keystore keystore;
    private final long now;
    private final String bucket = "process_heartbeats_" + TIMINGS.expire().toMillis() + "ms";

    Heartbeats(BenchWorker worker, SqlDatabase database, Connection connection, long now) {
      this.worker = worker;
      this.database = database;
      this.connection = connection;
      this.keystore = worker.keystore();
      this.now = now;
    }

    void fill() throws SQLException {
      for (int from = 0; from < processes; from += BATCH) {
        int to = Math.min(processes, from + BATCH);
        database.insertDocuments(
            connection,
            bucket,
            IntStream.range(from, to).mapToObj(it -> "main." + instance(it)).toList(),
            IntStream.range(from, to).parallel().mapToObj(this::encodeHeartbeat).toList(),
            now);
      }
    }

    private static String instance(int number) {
      return "host-%06d-4711".formatted(number);
    }

    private byte[] encodeHeartbeat(int number) {
      String name = instance(number);
      Map<KekVersion, LoadedVersion> loaded = new HashMap<>();
      for (KekVersion version : List.of(BenchWorker.V1, BenchWorker.V2)) {
        loaded.put(version, new LoadedVersion("env", new Proved(proof(version, name))));
      }
      Host host = new Host("host-%06d".formatted(number), 4711, "", Instant.ofEpochMilli(now));
      ProcessInfo process = new ProcessInfo(name, "run-" + number, "api", "0.1.0", host);
      Heartbeat heartbeat =
          new Heartbeat(
              process,
              loaded,
              BenchWorker.V1,
              ProcessIdentity.PROTOCOL,
              keystore.epoch(),
              Instant.ofEpochMilli(now));
      return HeartbeatDocument.toDocument(heartbeat, "nonce-1").toValue().bytes().toArray();
    }

    private Proof proof(KekVersion version, String name) {
      Claim claim = new Claim(name, keystore.epoch());
      VersionEntry entry = keystore.versions().get(version);
      if (entry == null) {
        throw new IllegalStateException(version + " is not announced");
      }
      return new ProofCache().prove(entry.sentinel(), worker.cipher(), claim).orElseThrow();
    }

    void read() throws SQLException {
      int rows = database.readDocuments(connection, bucket, "main");
      if (rows != processes + 1) {
        throw new IllegalStateException("read " + rows + " rows, expected " + (processes + 1));
      }
    }
  }
}
