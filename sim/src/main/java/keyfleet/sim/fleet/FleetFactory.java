package keyfleet.sim.fleet;

/// Makes the fleet of a run. Tests make bent ones.
public interface FleetFactory {
  SimulatedFleet create(SimulatedWorld world);
}
