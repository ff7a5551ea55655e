package keyfleet.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Revision;
import keyfleet.store.StoreException;
import keyfleet.store.Value;
import keyfleet.store.WriteResult;
import keyfleet.store.WriteResult.Written;
import keyfleet.store.engine.StoreCheck;

/// The median latency of a read and of a compare-and-set, in nanoseconds.
record StoreLatency(long read, long write) {
  private static final Bucket SCRATCH = new Bucket.Lasting("keyfleet_probe");
  private static final Key KEY = new Key("latency");

  /// A heartbeat makes several calls to the store, and must be done long before the next heartbeat.
  private static final long SLOW_WRITE_NANOS = 1_000_000_000;

  static StoreLatency measure(Kv kv, LongSupplier clock, int times) {
    List<Long> reads = new ArrayList<>();
    List<Long> writes = new ArrayList<>();
    Revision last = requireRevision(kv.put(SCRATCH, KEY, Value.of("0")));
    for (int i = 0; i < times; i++) {
      long startNanos = clock.getAsLong();
      kv.get(SCRATCH, KEY);
      long read = clock.getAsLong();
      last = requireRevision(kv.update(SCRATCH, KEY, Value.of("take " + i), last));
      reads.add(read - startNanos);
      writes.add(clock.getAsLong() - read);
    }
    kv.delete(SCRATCH, KEY, last);
    return new StoreLatency(median(reads), median(writes));
  }

  StoreCheck toCheck() {
    String message =
        String.format(
            Locale.ROOT,
            "answers a read in %.1f ms, a compare-and-set in %.1f ms",
            read / 1e6,
            write / 1e6);
    return write > SLOW_WRITE_NANOS
        ? StoreCheck.warn(message + ": heartbeats may be late", "use a store closer to the fleet")
        : StoreCheck.ok(message);
  }

  private static Revision requireRevision(WriteResult result) {
    if (result instanceof Written(Revision revision)) {
      return revision;
    }
    throw new StoreException("a write without any competing writer was not acknowledged");
  }

  private static long median(List<Long> times) {
    return times.stream().sorted().skip(times.size() / 2).findFirst().orElseThrow();
  }
}
