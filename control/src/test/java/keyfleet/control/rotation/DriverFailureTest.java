package keyfleet.control.rotation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static keyfleet.control.rotation.RotationTestFleet.under;
import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
import keyfleet.control.rewrap.RewrapPass;
import keyfleet.control.rewrap.RotationProgress;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Blocked;
import keyfleet.keyring.Rotation.Completed;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a driver does that fails unexpectedly, or that loses a key.
class DriverFailureTest {
  private final RotationTestFleet fleet = new RotationTestFleet();
  private final Peer api = fleet.member("api-1", 1, 2, 3, 4);
  private final Bug bug = new Bug();
  private final Peer first = fleet.worker("worker-1", bug, 1, 2, 3, 4);
  private final Peer second = fleet.worker("worker-2", 1, 2, 3, 4);
  private Map<String, String> before = Map.of();

  /// A bug in the work of one process.
  private static final class Bug implements Failpoints {
    boolean failsCensus;
    Runnable beforeRewrap = () -> {};

    @Override
    public <T> T at(Failpoint point, Supplier<T> effect) {
      if (failsCensus && point == Failpoint.CENSUS) {
        throw new IllegalStateException("a value");
      }
      if (point == Failpoint.RECORD_REWRAP) {
        beforeRewrap.run();
      }
      return effect.get();
    }
  }

  /// A key whose cipher fails on one record.
  private record FaultyKek(Kek kek) implements Kek {
    @Override
    public KekVersion version() {
      return kek.version();
    }

    @Override
    public byte[] wrap(Dek dek, byte[] aad) {
      return kek.wrap(dek, aad);
    }

    @Override
    public Optional<Dek> unwrap(byte[] wrapped, byte[] aad) {
      if (new String(aad, ISO_8859_1).contains("o1")) {
        throw new IllegalStateException("the cipher quotes a value");
      }
      return kek.unwrap(wrapped, aad);
    }
  }

  @BeforeEach
  void fillTheStores() {
    fleet.bootstrap(first);
    for (int i = 0; i < 3; i++) {
      api.put("orders", "o" + i);
    }
    before = fleet.contents();
  }

  private void rotate() {
    assertInstanceOf(Done.class, first.operations.rotate(v(1), v(2)));
  }

  private RotationProgress rotationProgress() {
    return first.keyring.readProgress().orElseThrow();
  }

  private String driver() {
    return Rotation.lastJob(fleet.keystore().rotation()).orElseThrow().driver();
  }

  @Test
  void cipherThatThrowsForOneRecord_failsThatRecordOnly() {
    first.provider.wrapper = FaultyKek::new;
    second.provider.wrapper = FaultyKek::new;
    fleet.heartbeatAll();
    rotate();
    fleet.runUntil(Blocked.class);
    RotationProgress.Failure only = rotationProgress().failures().getFirst();
    assertEquals(1, rotationProgress().failed());
    assertEquals("o1", only.id());
    assertEquals("unexpected IllegalStateException, which is a bug", only.reason());
    assertEquals(2, fleet.records("orders").census().belonging().getOrDefault(v(2), 0L));
    second.provider.wrapper = it -> it;
    fleet.runToEnd();
    assertInstanceOf(Completed.class, fleet.keystore().rotation());
    assertEquals(under(2, before), fleet.contents());
  }

  @Test
  void driverThatFailsAtEveryTick_isReplaced() {
    rotate();
    first.loop.tick();
    assertEquals("worker-1", driver());
    bug.failsCensus = true;
    tickFirstUntilItFails();
    for (int i = 0; i < 20 && driver().equals("worker-1"); i++) {
      fleet.advance(RotationTestFleet.TIMINGS.heartbeat().dividedBy(2));
      fleet.heartbeatAll();
      assertThrows(IllegalStateException.class, first.loop::tick);
      second.loop.tick();
    }
    assertTrue(first.loop.isStalled());
    assertEquals("worker-2", driver());
    assertTrue(
        rotationProgress().note().startsWith("driver worker-1 fails unexpectedly"),
        rotationProgress().note());
    first.stop();
    fleet.runToEnd();
    assertEquals(under(2, before), fleet.contents());
  }

  @Test
  void driverThatRecovers_drivesOn() {
    rotate();
    first.loop.tick();
    bug.failsCensus = true;
    tickFirstUntilItFails();
    for (int i = 0; i < 5; i++) {
      assertThrows(IllegalStateException.class, first.loop::tick);
    }
    bug.failsCensus = false;
    fleet.runToEnd();
    assertTrue(!first.loop.isStalled() && driver().equals("worker-1"), driver());
    assertEquals(under(2, before), fleet.contents());
  }

  /// More records than the first batch, so that the pass is not finished.
  @Test
  void driverThatLosesTheTargetKey_givesTheRotationUpAtOnce() {
    for (int i = 0; i < 2 * RewrapPass.FIRST_BATCH; i++) {
      api.put("orders", "more-%03d".formatted(i));
    }
    before = fleet.contents();
    rotate();
    fleet.runUntil(Rotation.Rewrapping.class);
    assertEquals("worker-1", driver());
    first.loop.tick();
    first.provider.remove(2);
    first.keys.refresh();
    first.loop.tick();
    assertEquals("", driver());
    assertEquals(
        "driver worker-1 has lost v2 and gave the rotation up; a worker with v2 takes it over",
        rotationProgress().note());
    assertEquals(0, rotationProgress().failed());
    second.loop.tick();
    assertEquals("worker-2", driver());
    fleet.heartbeatAll();
    for (int i = 0; i < 10; i++) {
      second.loop.tick();
    }
    assertEquals("not ready: worker-1 has not loaded it", rotationProgress().note());
    first.provider.add(2);
    fleet.runToEnd();
    assertEquals(under(2, before), fleet.contents());
  }

  @Test
  void keyLostWhileABatchIsRewrapped_failsNoRecord() {
    rotate();
    fleet.runUntil(Rotation.Rewrapping.class);
    bug.beforeRewrap =
        () -> {
          first.provider.remove(2);
          first.keys.refresh();
        };
    for (int i = 0; i < 5; i++) {
      first.loop.tick();
    }
    assertEquals(0, rotationProgress().failed());
    assertEquals("", driver());
  }

  @Test
  void droppedTable_isNamedInTheNoteAlsoOfAnAbort() {
    rotate();
    fleet.runUntil(Rotation.Rewrapping.class);
    assertEquals("worker-1", driver());
    fleet.dropCollection("orders");
    first.loop.tick();
    first.loop.tick();
    String sentence = "collection fake orders is registered but the table does not exist";
    assertEquals(sentence, rotationProgress().note());
    assertInstanceOf(Done.class, first.operations.abort());
    for (int i = 0; i < 20; i++) {
      fleet.advance(RotationTestFleet.TIMINGS.heartbeat().dividedBy(2));
      fleet.heartbeatAll();
      first.loop.tick();
    }
    assertEquals(sentence, rotationProgress().note());
    assertEquals("worker-1", driver());
  }

  /// The way out of a dropped table, for the rotation that met it and for its abort.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void droppedTableThatIsUnregistered_letsTheRotationGoOn(boolean isAborted) {
    api.put("invoices", "i-1");
    before = invoices();
    assertTrue(!before.isEmpty(), fleet.contents()::toString);
    rotate();
    fleet.runUntil(Rotation.Rewrapping.class);
    fleet.dropCollection("orders");
    if (isAborted) {
      assertInstanceOf(Done.class, first.operations.abort());
    }
    for (int i = 0; i < 20; i++) {
      fleet.advance(RotationTestFleet.TIMINGS.heartbeat().dividedBy(2));
      fleet.heartbeatAll();
      first.loop.tick();
    }
    assertTrue(rotationProgress().note().contains("orders"), rotationProgress().note());
    assertInstanceOf(
        Done.class,
        first.fleetOperations.unregister(
            first.fleetOperations.listCollections().stream()
                .filter(it -> it.registration().collection().equals("orders"))
                .findFirst()
                .orElseThrow()));
    fleet.runToEnd();
    Class<? extends Rotation> end = isAborted ? Rotation.Aborted.class : Completed.class;
    assertInstanceOf(end, fleet.keystore().rotation());
    assertEquals(under(isAborted ? 1 : 2, before), invoices());
  }

  private Map<String, String> invoices() {
    return fleet.contents().entrySet().stream()
        .filter(it -> it.getKey().contains("invoices"))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private void tickFirstUntilItFails() {
    for (int i = 0; i < 20; i++) {
      try {
        first.loop.tick();
      } catch (IllegalStateException e) {
        return;
      }
    }
    throw new AssertionError("the driver never failed");
  }
}
