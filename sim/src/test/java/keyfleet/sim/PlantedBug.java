package keyfleet.sim;

import java.util.Set;
import java.util.function.UnaryOperator;
import keyfleet.sim.fleet.PortUser;
import keyfleet.sim.fleet.PortWrappers;
import keyfleet.store.Kv;
import keyfleet.store.Records;

/// A bug in the stores that some parts of a fleet use.
record PlantedBug(Set<PortUser> users, UnaryOperator<Kv> kvBug, UnaryOperator<Records> recordsBug)
    implements PortWrappers {
  static PortWrappers inKv(UnaryOperator<Kv> bug, PortUser... users) {
    return new PlantedBug(Set.of(users), bug, UnaryOperator.identity());
  }

  static PortWrappers inRecords(UnaryOperator<Records> bug, PortUser... users) {
    return new PlantedBug(Set.of(users), UnaryOperator.identity(), bug);
  }

  @Override
  public Kv wrapKv(PortUser user, Kv kv) {
    return users.contains(user) ? kvBug.apply(kv) : kv;
  }

  @Override
  public Records wrapRecords(PortUser user, Records records) {
    return users.contains(user) ? recordsBug.apply(records) : records;
  }
}
