package keyfleet.sim.fleet;

/// Creates the fleet of a run. Tests create fleets with planted bugs.
public interface FleetFactory {
  SimulatedFleet create(SimulatedWorld world);
}
