package keyfleet.bench;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import keyfleet.control.rewrap.CollectionOpener;
import keyfleet.control.rewrap.ThreadPoolBatchExecutor;
import keyfleet.control.rotation.RotationLoop;
import keyfleet.control.rotation.RotationLoop.NextTick;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Timings;
import keyfleet.store.Fence;
import keyfleet.store.Records;
import keyfleet.store.engine.Engine;

/// Compares a rotation by the real loop with the same compare-and-set writes without cryptography:
/// on the same engine, with the same scans, batches, fence and durability. Both take turns, a
/// twentieth of the records at a time, so that both see the same load on the machine.
final class RotationBench {
  private static final SealedTable ROTATED = new SealedTable("customers");
  private static final SealedTable SEQUENTIAL = new SealedTable("plain_in_turn");
  private static final SealedTable OVERLAPPED = new SealedTable("plain_overlapped");
  private static final int TURNS = 20;
  private static final Set<Integer> HEAP_SAMPLES = Set.of(2, 10, 18);
  private static final int MAX_TICKS = 10_000;
  private static final double MEBIBYTE = 1 << 20;

  private final PrintStream out;
  private final Stopwatch watch;
  private final int records;

  RotationBench(PrintStream out, Stopwatch watch, int records) {
    this.out = out;
    this.watch = watch;
    this.records = records;
  }

  void run(List<String> engines, ScratchFolder scratch) throws Exception {
    out.printf(
        "rotation of %,d records, records/s           (ratio: to the same writes with no crypto)%n",
        records);
    for (String engine : engines) {
      SqlDatabase.measure(engine, scratch, out, this::rotate);
    }
  }

  private void rotate(SqlDatabase database) throws Exception {
    try (Engine engine = database.openEngine();
        Connection connection = database.connector().connect()) {
      rotate(database, engine, connection);
    }
  }

  private void rotate(SqlDatabase database, Engine engine, Connection connection) throws Exception {
    BenchWorker worker = new BenchWorker(engine.kv(), watch.nanos());
    worker.bootstrap(Timings.DEFAULT);
    ROTATED.createAndFill(
        connection, database.blob(), List.of(SEQUENTIAL, OVERLAPPED), records, worker.cipher());
    worker.register(ROTATED.registration(database.name()));
    CollectionOpener opener = _ -> Optional.of(engine.records(ROTATED.shape()));
    worker.rotate(opener);
    try (ExecutorService reader = Executors.newSingleThreadExecutor();
        ThreadPoolBatchExecutor executor = new ThreadPoolBatchExecutor()) {
      new Comparison(database.name(), worker, worker.loop(opener, executor))
          .run(
              newRewriter(engine, SEQUENTIAL, Runnable::run),
              newRewriter(engine, OVERLAPPED, reader));
    }
  }

  /// Puts the table behind the same fence as the records that are rotated.
  private static PlainRewriter newRewriter(Engine engine, SealedTable table, Executor reader) {
    Records records = engine.records(table.shape());
    records.fence(Fence.of(new Fence.Term(1, 1), Set.of(BenchWorker.V1, BenchWorker.V2)));
    return new PlainRewriter(records, RotationLoop.MAX_BATCH, reader);
  }

  /// Elapsed seconds and CPU seconds of both sides so far.
  private record Figures(double ours, double plain, double oursCpu, double plainCpu) {
    Figures since(Figures earlier) {
      return new Figures(
          ours - earlier.ours,
          plain - earlier.plain,
          oursCpu - earlier.oursCpu,
          plainCpu - earlier.plainCpu);
    }
  }

  private final class Comparison {
    private final String name;
    private final BenchWorker worker;
    private final RotationLoop loop;
    private final double[] heap = new double[HEAP_SAMPLES.size()];

    Comparison(String name, BenchWorker worker, RotationLoop loop) {
      this.name = name;
      this.worker = worker;
      this.loop = loop;
    }

    void run(PlainRewriter sequential, PlainRewriter overlapped) throws Exception {
      tickUntil(Rotation.Rewrapping.class);
      CostMeter ours = new CostMeter(watch);
      CostMeter plain = new CostMeter(watch);
      CostMeter ahead = new CostMeter(watch);
      Figures warm = figures(ours, plain);
      int samples = 0;
      for (int turn = 1; turn <= TURNS; turn++) {
        long goal = (long) records * turn / TURNS;
        double _ = ours.add(() -> tickUntil(goal));
        double _ = plain.add(() -> sequential.rewriteUntil(goal));
        double _ = ahead.add(() -> overlapped.rewriteUntil(goal));
        warm = turn == 1 ? figures(ours, plain) : warm;
        worker.heartbeat();
        if (HEAP_SAMPLES.contains(turn)) {
          heap[samples++] = usedHeap();
        }
      }
      double rest = watch.seconds(this::finish);
      print(ours, plain, ahead, rest);
      print(figures(ours, plain).since(warm));
    }

    private static Figures figures(CostMeter ours, CostMeter plain) {
      return new Figures(ours.seconds(), plain.seconds(), ours.cpuSeconds(), plain.cpuSeconds());
    }

    /// Prints the figures without the first turn: in it all records are counted, and the JVM
    /// compiles most of the code.
    private void print(Figures later) {
      double most = records * (TURNS - 1.0) / TURNS;
      out.printf(
          "  %-11s after the first %d%%: ours %,.0f   plain %,.0f   ratio %.2f; CPU %.1f, plain"
              + " %.1f%n",
          "",
          100 / TURNS,
          most / later.ours(),
          most / later.plain(),
          later.plain() / later.ours(),
          later.oursCpu() / most * 1e6,
          later.plainCpu() / most * 1e6);
    }

    private void print(CostMeter ours, CostMeter plain, CostMeter ahead, double rest) {
      out.printf(
          "  %-11s ours %,9.0f   plain, scan and write in turn %,9.0f   ratio %.2f%n",
          name,
          records / ours.seconds(),
          records / plain.seconds(),
          plain.seconds() / ours.seconds());
      out.printf(
          "  %-11s %14s   plain, next scan meanwhile    %,9.0f   ratio %.2f%n",
          "", "", records / ahead.seconds(), ahead.seconds() / ours.seconds());
      out.printf(
          "  %-11s CPU of this process, us a record: ours %.1f, plain %.1f and %.1f%n",
          "",
          ours.cpuSeconds() / records * 1e6,
          plain.cpuSeconds() / records * 1e6,
          ahead.cpuSeconds() / records * 1e6);
      out.printf(
          "  %-11s heap after GC at 10%%, 50%%, 90%%: %.1f, %.1f, %.1f MiB of %.0f; flip to proof"
              + " %.1f s%n",
          "", heap[0], heap[1], heap[2], Runtime.getRuntime().maxMemory() / MEBIBYTE, rest);
    }

    private void tickUntil(Class<? extends Rotation> phase) {
      for (int i = 0; !phase.isInstance(worker.keystore().rotation()); i++) {
        tick();
        check(i < MAX_TICKS, "the rotation does not reach " + phase.getSimpleName());
      }
    }

    private void tickUntil(long goal) {
      while (loop.rewrappedRecords() < goal) {
        long before = loop.rewrappedRecords();
        tick();
        check(loop.rewrappedRecords() > before, "a tick rewrapped nothing");
      }
    }

    private void finish() {
      for (int i = 0; !(worker.keystore().rotation() instanceof Rotation.Completed); i++) {
        if (tick() == NextTick.LATER) {
          worker.heartbeat();
        }
        check(i < MAX_TICKS, "the rotation does not end");
      }
    }

    private NextTick tick() {
      NextTick next = loop.tick();
      loop.lastFailure()
          .ifPresent(e -> {
            throw new IllegalStateException("a tick failed", e);
          });
      return next;
    }

    private void check(boolean holds, String message) {
      if (!holds) {
        throw new IllegalStateException(name + ": " + message);
      }
    }
  }

  /// The serial collector compacts the whole heap only every fourth time.
  private static double usedHeap() {
    for (int i = 0; i < 4; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MEBIBYTE;
  }
}
