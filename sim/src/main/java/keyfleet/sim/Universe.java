package keyfleet.sim;

/// Makes the fleet of a run. Tests make bent ones.
interface Universe {
  Fleet fleet(World world);
}
