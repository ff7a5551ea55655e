package keyfleet.sqlite;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.StoreException;
import keyfleet.store.Value;
import keyfleet.store.WriteResult.Written;
import keyfleet.store.engine.StoreUrl;

/// A process that writes until it is killed or stopped. It prints each write as soon as the write
/// is acknowledged.
final class SqliteWriterMain {
  static final Bucket STATE = new Bucket.Lasting("state");
  static final Bucket HEARTBEATS = new Bucket.Expiring("process-beats", Duration.ofHours(1));
  static final String READY = "ready";
  static final String HELD = "held";
  static final String FREE = "free";

  /// Begins the line of a write that failed.
  static final String REFUSED = "refused";

  /// Ends a complete line: a kill may cut a line off before it.
  static final String DONE = "done";

  private static final int THREADS = 4;

  private SqliteWriterMain() {}

  /// Arguments: the store URL, the writer's name, and the mode: write `state`; write `both` state
  /// and heartbeats; write both with several `threads`; or `hold` the writers' lock, release it and
  /// take it again, one step for each input line.
  public static void main(String[] args) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (SqliteEngine engine = SqliteEngine.open(StoreUrl.parse(args[0]))) {
      out.println(READY);
      in.readLine();
      if (args[2].equals("hold")) {
        hold(args[0], out, in);
        return;
      }
      if (args[2].equals("threads")) {
        writeWithThreads(engine.kv(), args[1], out, in);
        return;
      }
      // Writing fails once the reader is gone: then the test is over.
      for (int i = 0; !in.ready() && !out.checkError(); i++) {
        boolean beat = args[2].equals("both") && i % 2 == 1;
        write(engine.kv(), beat ? HEARTBEATS : STATE, new Key(args[1] + "." + i), out);
      }
    }
  }

  private static void writeWithThreads(Kv kv, String name, PrintStream out, BufferedReader in)
      throws IOException {
    AtomicBoolean stopped = new AtomicBoolean();
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      for (int thread = 0; thread < THREADS; thread++) {
        String prefix = name + "." + thread + ".";
        Bucket bucket = thread % 2 == 0 ? STATE : HEARTBEATS;
        threads.execute(() -> {
          for (int i = 0; !stopped.get() && !out.checkError(); i++) {
            try {
              write(kv, bucket, new Key(prefix + i), out);
            } catch (StoreException e) {
              out.println(REFUSED + " " + e.getMessage() + ": " + e.getCause());
            }
          }
        });
      }
      in.readLine();
      stopped.set(true);
    }
  }

  private static void hold(String url, PrintStream out, BufferedReader in) throws IOException {
    SqlitePaths paths = SqlitePaths.resolve(StoreUrl.parse(url).path());
    try (SqliteLockFile lockFile = SqliteLockFile.open(paths.lock())) {
      try (SqliteWriterQueue.Turn _ = lockFile.stateQueue().awaitTurn()) {
        out.println(HELD);
        in.readLine();
      }
      out.println(FREE);
      in.readLine();
      try (SqliteWriterQueue.Turn _ = lockFile.stateQueue().awaitTurn()) {
        out.println(HELD);
      }
    }
  }

  private static void write(Kv kv, Bucket bucket, Key key, PrintStream out) {
    if (kv.create(bucket, key, Value.of("value of " + key)) instanceof Written(var revision)) {
      out.println(bucket.name() + " " + key + " " + revision.number() + " " + DONE);
    }
  }
}
