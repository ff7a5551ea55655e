package keyfleet.sim;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Several fleets side by side over one store, as a company has them.
record Fleets(List<Fleet> fleets) implements Fleet {
  /// Keys, nodes, or both: most runs have one of them, as one hides what the other does.
  static Fleet drawn(World world) {
    return switch (world.dice().named("fleets").below(8)) {
      case 0 ->
          new Fleets(
              List.of(new KeyFleet(world, Ports.STRAIGHT), new NodeFleet(world, Ports.STRAIGHT)));
      case 1, 2, 3, 4 -> new KeyFleet(world, Ports.STRAIGHT);
      default -> new NodeFleet(world, Ports.STRAIGHT);
    };
  }

  @Override
  public void start() {
    fleets.forEach(Fleet::start);
  }

  @Override
  public void strike(Fault fault) {
    int share = fault.target() % fleets.size();
    fleets.get(share).strike(fault.of(fault.target() / fleets.size()));
  }

  @Override
  public void calm() {
    fleets.forEach(Fleet::calm);
  }

  @Override
  public void check() {
    fleets.forEach(Fleet::check);
  }

  @Override
  public Optional<Supplier<String>> unfinished() {
    return fleets.stream().map(Fleet::unfinished).flatMap(Optional::stream).findFirst();
  }

  @Override
  public void checkEnd() {
    fleets.forEach(Fleet::checkEnd);
  }
}
