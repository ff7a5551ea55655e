package keyfleet.control.rewrap;

import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.store.CollectionShape;
import keyfleet.store.Kv;
import keyfleet.store.Records;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.engine.StoreUrl;
import org.jspecify.annotations.Nullable;

/// The store of the fleet and, if that is another, the one with the records. The latter is opened
/// when first needed.
public final class StoreConnections implements CollectionOpener, AutoCloseable {
  /// The engine that coordinates and keeps no records.
  private static final String NO_RECORDS = "nats";

  /// A database that a command was told of, and which registered collections are looked up there.
  public record SearchedStore(
      String engine, Supplier<Engine> open, Predicate<CollectionRegistration> lookup) {
    public boolean has(CollectionRegistration collectionRegistration) {
      return lookup.test(collectionRegistration);
    }
  }

  private final Function<StoreUrl, Engine> engines;
  private final StoreUrl place;
  private final StoreUrl recordsPlace;
  private final Engine store;
  private @Nullable Engine elsewhere;

  private StoreConnections(
      Function<StoreUrl, Engine> engines, StoreUrl place, StoreUrl recordsPlace) {
    this.engines = engines;
    this.place = place;
    this.recordsPlace = recordsPlace;
    this.store = engines.apply(place);
  }

  public static StoreConnections open(
      Function<StoreUrl, Engine> engines, StoreUrl place, StoreUrl records) {
    return new StoreConnections(engines, place, records);
  }

  public Kv kv() {
    return store.kv();
  }

  /// What was found, on opening, about how safe the store is.
  public List<StoreCheck> storeChecks() {
    return store.storeChecks();
  }

  /// What registrations call the engine that keeps the records.
  public String recordsEngine() {
    return recordsPlace.scheme();
  }

  /// Where the records are, for people.
  String where() {
    return recordsPlace.toString();
  }

  /// The engine that keeps the records.
  public Engine records() {
    if (recordsPlace.scheme().equals(NO_RECORDS)) {
      throw StoreRefusedException.noAccess(
          "NATS keeps no records", "--records postgresql://HOST/DATABASE");
    }
    if (isOne()) {
      return store;
    }
    Engine known = elsewhere;
    if (known == null) {
      known = engines.apply(recordsPlace);
      elsewhere = known;
    }
    return known;
  }

  /// Where envelopes can be: the records, and the store if that is another.
  public List<SearchedStore> places() {
    String engine = recordsEngine();
    SearchedStore records =
        new SearchedStore(
            engine, isOne() ? () -> store : this::records, it -> it.engine().equals(engine));
    return isOne()
        ? List.of(records)
        : List.of(
            records,
            new SearchedStore(
                place.scheme(),
                () -> store,
                it -> it.engine().equals(place.scheme()) && !records.has(it)));
  }

  private boolean isOne() {
    return recordsPlace.toString().equals(place.toString());
  }

  /// Throws if the collection is where this command looks, and is not to be had.
  public Optional<Records> find(CollectionRegistration collectionRegistration) {
    String engine = collectionRegistration.engine();
    CollectionShape shape = shape(collectionRegistration);
    if (engine.equals(NO_RECORDS)) {
      return Optional.empty();
    }
    if (engine.equals(recordsPlace.scheme())) {
      return Optional.of(records().records(shape));
    }
    return engine.equals(place.scheme()) ? Optional.of(store.records(shape)) : Optional.empty();
  }

  @Override
  public Optional<Records> open(CollectionRegistration collectionRegistration) {
    try {
      return find(collectionRegistration);
    } catch (StoreException e) {
      return Optional.empty();
    }
  }

  public static CollectionShape shape(CollectionRegistration collectionRegistration) {
    return new CollectionShape(
        collectionRegistration.collection(),
        collectionRegistration.idField(),
        new TreeSet<>(collectionRegistration.sealedFields()));
  }

  @Override
  public void close() {
    try (Engine _ = store;
        Engine _ = elsewhere) {
      elsewhere = null;
    }
  }
}
