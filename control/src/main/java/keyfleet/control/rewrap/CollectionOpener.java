package keyfleet.control.rewrap;

import java.util.Optional;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.store.Records;

/// Opens registered collections. The wiring knows which engines this process can reach.
@FunctionalInterface
public interface CollectionOpener {
  /// Empty if this process cannot reach the collection. That blocks each operation that needs a
  /// count of its records: an unreachable collection is not an empty one. May throw a
  /// [keyfleet.store.StoreRefusedException] if its store answers that the collection does not
  /// exist.
  Optional<Records> open(CollectionRegistration registration);
}
