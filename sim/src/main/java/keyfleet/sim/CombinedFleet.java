package keyfleet.sim;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.sim.fleet.PortWrappers;
import keyfleet.sim.fleet.SimulatedFleet;
import keyfleet.sim.fleet.SimulatedWorld;
import keyfleet.sim.host.Fault;
import keyfleet.sim.rollout.RolloutFleet;
import keyfleet.sim.rotation.RotationFleet;

/// Several fleets side by side over one store, as a company has them.
record CombinedFleet(List<SimulatedFleet> fleets) implements SimulatedFleet {
  /// Keys, nodes, or both: most runs have one of them, as one hides what the other does.
  static SimulatedFleet drawn(SimulatedWorld world) {
    return switch (world.dice().named("fleets").below(8)) {
      case 0 ->
          new CombinedFleet(
              List.of(
                  new RotationFleet(world, PortWrappers.STRAIGHT),
                  new RolloutFleet(world, PortWrappers.STRAIGHT)));
      case 1, 2, 3, 4 -> new RotationFleet(world, PortWrappers.STRAIGHT);
      default -> new RolloutFleet(world, PortWrappers.STRAIGHT);
    };
  }

  @Override
  public void start() {
    fleets.forEach(SimulatedFleet::start);
  }

  @Override
  public void strike(Fault fault) {
    int share = fault.target() % fleets.size();
    fleets.get(share).strike(fault.of(fault.target() / fleets.size()));
  }

  @Override
  public void calm() {
    fleets.forEach(SimulatedFleet::calm);
  }

  @Override
  public void check() {
    fleets.forEach(SimulatedFleet::check);
  }

  @Override
  public Optional<Supplier<String>> unfinished() {
    return fleets.stream().map(SimulatedFleet::unfinished).flatMap(Optional::stream).findFirst();
  }

  @Override
  public void checkEnd() {
    fleets.forEach(SimulatedFleet::checkEnd);
  }
}
