package keyfleet.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import keyfleet.control.Failpoints;
import keyfleet.control.rotation.CollectionCatalog;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.crypto.KeyringName;
import keyfleet.server.EventLog.Format;
import keyfleet.store.Bucket;
import keyfleet.store.Entry;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FleetMonitorTest {
  @TempDir Path folder = Path.of("");

  /// Counts how often the heartbeats are listed.
  private record CountingKv(Kv inner, AtomicInteger rosterReads) implements ForwardingKv {
    @Override
    public List<Entry> list(Bucket bucket, Prefix prefix) {
      if (bucket.name().startsWith("process_heartbeats")) {
        rosterReads.incrementAndGet();
      }
      return inner.list(bucket, prefix);
    }
  }

  /// The figures, the laggards and the metrics all come from one reading.
  @Test
  void refresh_readsTheRosterOnce() {
    try (ServerFixture fixture = new ServerFixture(folder)) {
      fixture.announce(1);
      fixture.announce(2);
      AtomicInteger rosterReads = new AtomicInteger();
      KeyringStore keyringStore =
          new KeyringStore(
              KeyringName.MAIN,
              new CountingKv(fixture.engine.kv(), rosterReads),
              () -> "nonce",
              Failpoints.NONE);
      FleetMonitor monitor =
          new FleetMonitor(
              keyringStore,
              new CollectionCatalog(keyringStore, _ -> Optional.empty(), Failpoints.NONE),
              fixture.loadedKeys(KeyringName.MAIN),
              EnumSet.allOf(Role.class),
              System::nanoTime,
              new EventLog(
                  new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
                  Format.TEXT,
                  InstantSource.fixed(Instant.EPOCH),
                  "server-1",
                  "main"));
      for (int i = 1; i <= 3; i++) {
        var _ = monitor.refresh();
        assertTrue(monitor.snapshot().isPresent());
        assertEquals(i, rosterReads.get());
      }
    }
  }
}
