package keyfleet.control.rotation;

import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import keyfleet.control.Failpoints;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.ReadinessGate.AnyProcesses;
import keyfleet.keyring.ReadinessGate.Laggard;
import keyfleet.keyring.ReadinessGate.NoFreshProcess;
import keyfleet.keyring.ReadinessGate.NotReady;
import keyfleet.keyring.ReadinessGate.Ready;
import keyfleet.keyring.ReadinessGate.Reason;
import keyfleet.store.Bucket;
import keyfleet.store.Entry;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import org.junit.jupiter.api.Test;

/// A large fleet, which is evaluated in batches while its roster is read.
class ReadinessVerifierTest {
  /// More than two batches of 500.
  private static final int MANY = 1_100;

  private final RotationTestFleet fleet = new RotationTestFleet();
  private final Peer worker = fleet.worker("worker-1", 1, 2);

  private void startManyProcesses() {
    for (int i = 0; i < MANY; i++) {
      fleet.member("api-%04d".formatted(i), 1, 2, 3, 4);
    }
    fleet.bootstrap(worker);
  }

  @Test
  void largeFleet_isReadyWhenEveryProcessIs() {
    startManyProcesses();
    ReadinessVerifier readinessVerifier = new ReadinessVerifier(worker.keyring, worker.keys);
    assertEquals(
        new Ready(MANY + 1, List.of()),
        readinessVerifier.verify(fleet.keystore(), v(2), new AnyProcesses()));
  }

  @Test
  void oneProcessWithoutTheTarget_isTheOnlyLaggard() {
    startManyProcesses();
    fleet.member("api-0123-late", 1);
    fleet.heartbeatAll();
    ReadinessVerifier readinessVerifier = new ReadinessVerifier(worker.keyring, worker.keys);
    NotReady verdict =
        assertInstanceOf(
            NotReady.class, readinessVerifier.verify(fleet.keystore(), v(2), new AnyProcesses()));
    Laggard laggard = verdict.laggards().getFirst();
    assertEquals(1, verdict.laggards().size());
    assertEquals("api-0123-late", laggard.heartbeat().instance());
    assertEquals(Reason.MISSING, laggard.reason());
  }

  /// The roster is read again.
  @Test
  void processesThatBecomeStaleWhileTheRosterIsRead_areNotReady() {
    startManyProcesses();
    AtomicBoolean slow = new AtomicBoolean(true);
    ForwardingKv slowOnce =
        new ForwardingKv() {
          @Override
          public Kv inner() {
            return fleet.kv();
          }

          @Override
          public List<Entry> list(Bucket bucket, Prefix prefix) {
            List<Entry> entries = fleet.kv().list(bucket, prefix);
            if (slow.getAndSet(false)) {
              fleet.advance(RotationTestFleet.TIMINGS.fresh().plusMillis(1));
            }
            return entries;
          }
        };
    KeyringStore keyringStore =
        new KeyringStore(KeyringName.MAIN, slowOnce, () -> "n", Failpoints.NONE);
    NoFreshProcess verdict =
        assertInstanceOf(
            NoFreshProcess.class,
            new ReadinessVerifier(keyringStore, worker.keys)
                .verify(fleet.keystore(), v(2), new AnyProcesses()));
    assertEquals(MANY + 1, verdict.stale().size());
  }
}
