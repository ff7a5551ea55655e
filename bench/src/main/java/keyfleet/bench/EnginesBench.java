package keyfleet.bench;

import java.io.PrintStream;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import keyfleet.control.rotation.RotationLoop;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.SecretBytes;
import keyfleet.crypto.SoftwareKek;

/// Compares each engine with the driver that it uses, in alternating rounds; the median round
/// counts.
final class EnginesBench {
  /// How much is done in a round, and how long to wait between two writes that are watched: as long
  /// as the engine's own period, so that none is favoured.
  record Load(int changes, int keys, int records, int hints, Duration pause) {}

  private static final int ROUNDS = 7;
  private static final int HINT_SECONDS = 30;

  private final PrintStream out;
  private final Stopwatch watch;

  /// In the order in which they are measured.
  static final List<String> ALL = List.of("sqlite", "postgresql", "mongodb", "nats");

  EnginesBench(PrintStream out, Stopwatch watch) {
    this.out = out;
    this.watch = watch;
  }

  void run(List<String> engines, ScratchFolder scratch) throws Exception {
    out.printf(
        "engines beside their drivers, one thread, median of %d rounds that take turns%n", ROUNDS);
    out.printf("  %-12s %-30s %12s %12s   %s%n", "engine", "what", "ours", "raw", "ratio");
    EngineLauncher launcher = new EngineLauncher(scratch, this::compare);
    for (String engine : engines) {
      launcher.launch(engine, out);
    }
  }

  private void compare(String engine, Load load, StoreUnderTest ours, StoreUnderTest raw)
      throws Exception {
    double[] ourSeconds = new double[ROUNDS];
    double[] rawSeconds = new double[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      ourSeconds[i] = watch.seconds(() -> ours.compareAndSet(load.changes));
      rawSeconds[i] = watch.seconds(() -> raw.compareAndSet(load.changes));
    }
    printRate(engine, "compare-and-set /s", load.changes, ourSeconds, rawSeconds);
    for (int i = 0; i < ROUNDS; i++) {
      ourSeconds[i] = watch.seconds(() -> listAll(load, ours));
      rawSeconds[i] = watch.seconds(() -> listAll(load, raw));
    }
    printTime(engine, "list of %,d, ms".formatted(load.keys), ourSeconds, rawSeconds);
    measureHints(engine, load, ours, raw);
    if (load.records > 0) {
      measureRewrites(engine, load, ours, raw);
    }
  }

  private static void listAll(Load load, StoreUnderTest store) throws Exception {
    int found = store.list();
    if (found != load.keys) {
      throw new IllegalStateException("listed " + found + " of " + load.keys);
    }
  }

  private void measureRewrites(String engine, Load load, StoreUnderTest ours, StoreUnderTest raw)
      throws Exception {
    SecureRandom random = new SecureRandom();
    SoftwareKek kek =
        new SoftwareKek(BenchWorker.V1, SecretBytes.random(SoftwareKek.BYTES, random), random);
    EnvelopeCipher cipher = new EnvelopeCipher(KekSet.of(KeyringName.MAIN, List.of(kek)), random);
    SealedTable table = new SealedTable("any");
    List<byte[]> sealed =
        IntStream.range(0, load.records).mapToObj(it -> table.seal(cipher, it)).toList();
    ours.seed(sealed);
    raw.seed(sealed);
    double[] ourSeconds = new double[ROUNDS];
    double[] rawSeconds = new double[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      ourSeconds[i] = watch.seconds(() -> ours.rewrite(RotationLoop.MAX_BATCH));
      rawSeconds[i] = watch.seconds(() -> raw.rewrite(RotationLoop.MAX_BATCH));
    }
    String what = "records /s, %,d a commit".formatted(RotationLoop.MAX_BATCH);
    printRate(engine, what, load.records, ourSeconds, rawSeconds);
  }

  private void measureHints(String engine, Load load, StoreUnderTest ours, StoreUnderTest raw)
      throws Exception {
    HintTimer ourTimer = new HintTimer(ours);
    HintTimer rawTimer = new HintTimer(raw);
    double[] ourLatency = new double[load.hints];
    double[] rawLatency = new double[load.hints];
    for (int i = 0; i < load.hints; i++) {
      ourLatency[i] = ourTimer.measureLatency(load);
      rawLatency[i] = rawTimer.measureLatency(load);
    }
    for (double share : new double[] {0.5, 0.99}) {
      double a = Stopwatch.quantile(share, ourLatency) * 1e3;
      double b = Stopwatch.quantile(share, rawLatency) * 1e3;
      printLine(engine, "write to hint, p%.0f, ms".formatted(share * 100), "%.2f", a, b, a / b);
    }
  }

  /// Writes the key that one store watches, and waits for the hint.
  private final class HintTimer {
    private final StoreUnderTest store;
    private final SynchronousQueue<Boolean> hints = new SynchronousQueue<>();

    HintTimer(StoreUnderTest store) throws Exception {
      this.store = store;
      store.watch(() -> hints.offer(true)); // an unexpected hint belongs to an earlier write
    }

    double measureLatency(Load load) throws InterruptedException {
      long pause = (long) (Math.random() * load.pause.toMillis());
      boolean _ = new CountDownLatch(1).await(pause, TimeUnit.MILLISECONDS);
      long from = watch.nanos().getAsLong();
      Thread writer = Thread.ofPlatform().start(this::write);
      if (hints.poll(HINT_SECONDS, TimeUnit.SECONDS) == null) {
        throw new IllegalStateException("no hint came within " + HINT_SECONDS + " s");
      }
      double seconds = watch.since(from);
      writer.join();
      return seconds;
    }

    private void write() {
      try {
        store.write();
      } catch (Exception e) {
        throw new IllegalStateException("a watched write failed", e);
      }
    }
  }

  private void printRate(String engine, String what, int count, double[] ours, double[] raw) {
    double a = count / Stopwatch.median(ours);
    double b = count / Stopwatch.median(raw);
    printLine(engine, what, "%,.0f", a, b, a / b);
  }

  private void printTime(String engine, String what, double[] ours, double[] raw) {
    double a = Stopwatch.median(ours) * 1e3;
    double b = Stopwatch.median(raw) * 1e3;
    printLine(engine, what, "%,.1f", a, b, a / b);
  }

  private void printLine(
      String engine, String what, String form, double ours, double raw, double ratio) {
    out.printf(
        "  %-12s %-30s %12s %12s   %.2f%n",
        engine, what, form.formatted(ours), form.formatted(raw), ratio);
  }
}
