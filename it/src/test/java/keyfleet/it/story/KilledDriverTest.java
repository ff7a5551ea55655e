package keyfleet.it.story;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import keyfleet.control.Failpoint;
import keyfleet.it.process.HaltPoint;
import keyfleet.it.process.HaltPoint.Side;
import keyfleet.it.process.TestStores.Kind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The driver of a rotation, or the operator, is killed at an effect. Another process continues,
/// and the rotation ends without loss.
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
class KilledDriverTest {
  /// The engine and the point at which a process is killed.
  record Kill(Kind kind, HaltPoint halt) {}

  /// A fence is raised in two phases and the keystore is written in ten, so these points need
  /// several occurrences.
  private static final Map<Failpoint, List<Integer>> OCCURRENCES =
      Map.of(
          Failpoint.KEYSTORE_WRITE, List.of(1, 2, 3, 4, 5, 6, 7),
          Failpoint.FENCE_RAISE, List.of(1, 2),
          Failpoint.RECORD_WRITE, List.of(2));

  @TempDir static Path folder = Path.of("");

  /// Idle fleets, ready for the next kill on their engine.
  private static final Map<Kind, Queue<FailoverFleet>> IDLE = new EnumMap<>(Kind.class);

  static {
    for (Kind kind : Kind.values()) {
      IDLE.put(kind, new ConcurrentLinkedQueue<>());
    }
  }

  @AfterAll
  static void close() {
    IDLE.values().forEach(idle -> idle.forEach(FailoverFleet::close));
  }

  static Stream<Kill> kills() {
    List<Kill> all = new ArrayList<>();
    for (Failpoint point : EnumSet.range(Failpoint.KEYSTORE_READ, Failpoint.CENSUS)) {
      for (int occurrence : OCCURRENCES.getOrDefault(point, List.of(1))) {
        for (Side side : Side.values()) {
          all.add(new Kill(Kind.SQLITE, new HaltPoint(point, side, occurrence)));
        }
      }
    }
    for (Kind kind : List.of(Kind.POSTGRES, Kind.MONGODB, Kind.NATS)) {
      all.add(new Kill(kind, new HaltPoint(Failpoint.KEYSTORE_WRITE, Side.AFTER, 3)));
      all.add(new Kill(kind, new HaltPoint(Failpoint.RECORD_WRITE, Side.AFTER, 2)));
      all.add(new Kill(kind, new HaltPoint(Failpoint.FENCE_RAISE, Side.BEFORE, 1)));
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("kills")
  void killedProcess_isReplacedWithoutLoss(Kill kill) throws IOException {
    Queue<FailoverFleet> idle = IDLE.getOrDefault(kill.kind(), new ConcurrentLinkedQueue<>());
    FailoverFleet fleet = idle.poll();
    if (fleet == null) {
      fleet = new FailoverFleet(Files.createTempDirectory(folder, "fleet"), kill.kind());
    }
    boolean survived = false;
    try {
      fleet.rotateWithKill(kill.halt());
      survived = fleet.hasMoreRotations();
    } finally {
      if (survived) {
        idle.add(fleet);
      } else {
        fleet.close();
      }
    }
  }

  /// A failpoint that no process of this test reaches would not be tested at all.
  @Test
  void everyFailpoint_isTried() {
    Set<Failpoint> tried = EnumSet.noneOf(Failpoint.class);
    kills().forEach(it -> tried.add(it.halt().point()));
    assertEquals(EnumSet.range(Failpoint.KEYSTORE_READ, Failpoint.CENSUS), tried);
  }
}
