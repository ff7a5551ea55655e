package keyfleet.sim;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.sim.cluster.ClusterFleet;
import keyfleet.sim.fleet.PortWrappers;
import keyfleet.sim.fleet.SimulatedFleet;
import keyfleet.sim.fleet.SimulatedWorld;
import keyfleet.sim.host.Fault;
import keyfleet.sim.rollout.RolloutFleet;
import keyfleet.sim.rotation.RotationFleet;

/// Several fleets on one store.
record CombinedFleet(List<SimulatedFleet> fleets) implements SimulatedFleet {
  /// A rotation fleet of records or of clusters, a rollout fleet, or records and rollouts. Most
  /// runs have one, because one can hide the faults of the other.
  static SimulatedFleet draw(SimulatedWorld world) {
    return switch (world.random().forPurpose("fleets").below(8)) {
      case 0 ->
          new CombinedFleet(
              List.of(
                  RotationFleet.sharingStore(world), new RolloutFleet(world, PortWrappers.NONE)));
      case 1 -> new ClusterFleet(world, PortWrappers.NONE);
      case 2, 3, 4 -> new RotationFleet(world, PortWrappers.NONE);
      default -> new RolloutFleet(world, PortWrappers.NONE);
    };
  }

  @Override
  public void start() {
    fleets.forEach(SimulatedFleet::start);
  }

  @Override
  public void inject(Fault fault) {
    int index = fault.target() % fleets.size();
    fleets.get(index).inject(fault.withTarget(fault.target() / fleets.size()));
  }

  @Override
  public void heal() {
    fleets.forEach(SimulatedFleet::heal);
  }

  @Override
  public void checkInvariants() {
    fleets.forEach(SimulatedFleet::checkInvariants);
  }

  @Override
  public Optional<Supplier<String>> unfinishedWork() {
    return fleets.stream()
        .map(SimulatedFleet::unfinishedWork)
        .flatMap(Optional::stream)
        .findFirst();
  }

  @Override
  public void checkFinalInvariants() {
    fleets.forEach(SimulatedFleet::checkFinalInvariants);
  }
}
