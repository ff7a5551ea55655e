package keyfleet.control.rewrap;

import java.util.Optional;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.store.Records;

/// Where registered collections are found. The wiring knows which engines this process can reach.
@FunctionalInterface
public interface CollectionOpener {
  /// Nothing if this process cannot reach the collection. That blocks whatever needs its records
  /// counted: an unseen collection is not an empty one.
  Optional<Records> open(CollectionRegistration collectionRegistration);
}
