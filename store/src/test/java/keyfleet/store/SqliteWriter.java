package keyfleet.store;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import keyfleet.store.Write.Written;

/// A process that writes until it is killed or told to stop. It says each write on its output as
/// soon as that is acknowledged.
final class SqliteWriter {
  static final Bucket STATE = new Bucket.Lasting("state");
  static final Bucket BEATS = new Bucket.Expiring("process-beats", Duration.ofHours(1));
  static final String READY = "ready";
  static final String HELD = "held";
  static final String FREE = "free";

  /// A kill may cut a line off before this.
  static final String DONE = "done";

  private SqliteWriter() {}

  /// The store's URL, the writer's name, and what it does: write `state`, or `both` state and
  /// beats, or `hold` the writers' queue, leave it and hold it again, at one word each.
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
      // The output fails once nobody reads it: then the test is over.
      for (int i = 0; !in.ready() && !out.checkError(); i++) {
        boolean beat = args[2].equals("both") && i % 2 == 1;
        write(engine.kv(), beat ? BEATS : STATE, new Key(args[1] + "." + i), out);
      }
    }
  }

  private static void hold(String url, PrintStream out, BufferedReader in) throws IOException {
    SqliteHome home = SqliteHome.at(StoreUrl.parse(url).path());
    try (SqliteLockFile lock = SqliteLockFile.open(home.lock())) {
      try (SqliteQueue.Turn _ = lock.state().enter()) {
        out.println(HELD);
        in.readLine();
      }
      out.println(FREE);
      in.readLine();
      try (SqliteQueue.Turn _ = lock.state().enter()) {
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
