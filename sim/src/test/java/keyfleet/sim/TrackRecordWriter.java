package keyfleet.sim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// Adds the results of tests to the track record, if `./dev soak` asks for it.
public final class TrackRecordWriter {
  private TrackRecordWriter() {}

  public static void recordExploration(String what, long states) {
    put("explored", List.of(what, String.format(Locale.ROOT, "%,d", states)));
  }

  static void recordBug(String bug, FailingSeed failure) {
    put("bugs", List.of(bug, Long.toString(failure.seed()), failure.violation().invariant()));
  }

  private static void put(String table, List<String> row) {
    String record = System.getProperty("keyfleet.record", "");
    if (record.isEmpty()) {
      return;
    }
    try {
      new TrackRecord(Path.of(record)).put(table, row);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
