package keyfleet.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.stream.Stream;
import keyfleet.sim.cluster.ClusterFleet;
import keyfleet.sim.fleet.FleetFactory;
import keyfleet.sim.fleet.PortWrappers;
import keyfleet.sim.fleet.SimulatedFleet;
import keyfleet.sim.fleet.SimulatedWorld;
import keyfleet.sim.host.Fault;
import keyfleet.sim.host.FaultSchedule;
import keyfleet.sim.host.SeededRandom;
import keyfleet.sim.host.VirtualTimeScheduler;
import keyfleet.sim.rollout.RolloutFleet;
import keyfleet.sim.rotation.RotationFleet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks the swarm: the unmodified swarm must find every planted bug.
class SeededBugTest {
  private static final long SEEDS = 6_000;
  private static final FleetFactory KEYS = world -> new RotationFleet(world, PortWrappers.NONE);
  private static final FleetFactory CLUSTERS = world -> new ClusterFleet(world, PortWrappers.NONE);
  private static final FleetFactory NODES = world -> new RolloutFleet(world, PortWrappers.NONE);

  /// A bug in its fleet, and the same fleet without the bug.
  record Bug(String name, FleetFactory factory, FleetFactory withoutBug) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Bug> bugs() {
    Stream<Bug> keys =
        SwarmRotationBugs.all().entrySet().stream()
            .map(
                it -> new Bug(it.getKey(), world -> new RotationFleet(world, it.getValue()), KEYS));
    Stream<Bug> nodes =
        SwarmRolloutBugs.all().entrySet().stream()
            .map(
                it -> new Bug(it.getKey(), world -> new RolloutFleet(world, it.getValue()), NODES));
    Stream<Bug> clusters =
        SwarmClusterBugs.all().entrySet().stream()
            .map(it ->
                new Bug(it.getKey(), world -> new ClusterFleet(world, it.getValue()), CLUSTERS));
    Bug suffixLost =
        new Bug("H7 store that loses what it acknowledged", SeededBugTest::losingSuffix, KEYS);
    return Stream.of(keys, Stream.of(suffixLost), clusters, nodes).flatMap(it -> it);
  }

  /// A store that loses acknowledged writes. The engines refuse such a store where they can detect
  /// it.
  private static SimulatedFleet losingSuffix(SimulatedWorld world) {
    SeededRandom random = world.random().forPurpose("rewind");
    Fault fault =
        new Fault(
            0, Fault.Kind.LOST_SUFFIX, 0, random.between(1, 20 * VirtualTimeScheduler.SECOND), 0);
    world
        .scheduler()
        .schedule(random.between(0, FaultSchedule.SHORT), () -> world.loseSuffix(fault));
    return new RotationFleet(world, PortWrappers.NONE);
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void seededBug_isCaught(Bug bug) {
    Optional<FailingSeed> failure = new Swarm(bug.factory()).findFirst(0, SEEDS);
    assertTrue(failure.isPresent(), bug + " was not found in " + SEEDS + " seeds");
    System.out.printf(
        "bug: %-45s seed %5d  %s%n",
        bug, failure.get().seed(), failure.get().violation().invariant());
    long seed = failure.get().seed();
    assertTrue(
        new Swarm(bug.withoutBug()).findFirst(seed, 1).isEmpty(),
        "seed " + seed + " also fails without the bug");
    TrackRecordWriter.recordBug(bug.name(), failure.get());
  }
}
