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

  private final Function<StoreUrl, Engine> openEngine;
  private final StoreUrl storeUrl;
  private final StoreUrl recordsUrl;
  private final Engine storeEngine;
  private @Nullable Engine separateRecordsEngine;

  private StoreConnections(
      Function<StoreUrl, Engine> openEngine, StoreUrl storeUrl, StoreUrl recordsUrl) {
    this.openEngine = openEngine;
    this.storeUrl = storeUrl;
    this.recordsUrl = recordsUrl;
    this.storeEngine = openEngine.apply(storeUrl);
  }

  public static StoreConnections open(
      Function<StoreUrl, Engine> openEngine, StoreUrl storeUrl, StoreUrl records) {
    return new StoreConnections(openEngine, storeUrl, records);
  }

  public Kv kv() {
    return storeEngine.kv();
  }

  /// What was found, on opening, about how safe the store is.
  public List<StoreCheck> storeChecks() {
    return storeEngine.storeChecks();
  }

  /// What registrations call the engine that keeps the records.
  public String recordsEngineName() {
    return recordsUrl.scheme();
  }

  /// Where the records are, for people.
  String recordsLocation() {
    return recordsUrl.toString();
  }

  /// The engine that keeps the records.
  public Engine recordsEngine() {
    if (recordsUrl.scheme().equals(NO_RECORDS)) {
      throw StoreRefusedException.noAccess(
          "NATS keeps no records", "--records postgresql://HOST/DATABASE");
    }
    if (isSingleStore()) {
      return storeEngine;
    }
    Engine opened = separateRecordsEngine;
    if (opened == null) {
      opened = openEngine.apply(recordsUrl);
      separateRecordsEngine = opened;
    }
    return opened;
  }

  /// Where envelopes can be: the records, and the store if that is another.
  public List<SearchedStore> searchedStores() {
    String engine = recordsEngineName();
    SearchedStore records =
        new SearchedStore(
            engine,
            isSingleStore() ? () -> storeEngine : this::recordsEngine,
            it -> it.engine().equals(engine));
    return isSingleStore()
        ? List.of(records)
        : List.of(
            records,
            new SearchedStore(
                storeUrl.scheme(),
                () -> storeEngine,
                it -> it.engine().equals(storeUrl.scheme()) && !records.has(it)));
  }

  private boolean isSingleStore() {
    return recordsUrl.toString().equals(storeUrl.toString());
  }

  /// Throws if the collection is where this command looks, and is not to be had.
  public Optional<Records> findRecords(CollectionRegistration collectionRegistration) {
    String engine = collectionRegistration.engine();
    CollectionShape shape = toShape(collectionRegistration);
    if (engine.equals(NO_RECORDS)) {
      return Optional.empty();
    }
    if (engine.equals(recordsUrl.scheme())) {
      return Optional.of(recordsEngine().records(shape));
    }
    return engine.equals(storeUrl.scheme())
        ? Optional.of(storeEngine.records(shape))
        : Optional.empty();
  }

  @Override
  public Optional<Records> open(CollectionRegistration collectionRegistration) {
    try {
      return findRecords(collectionRegistration);
    } catch (StoreException e) {
      return Optional.empty();
    }
  }

  public static CollectionShape toShape(CollectionRegistration collectionRegistration) {
    return new CollectionShape(
        collectionRegistration.collection(),
        collectionRegistration.idField(),
        new TreeSet<>(collectionRegistration.sealedFields()));
  }

  @Override
  public void close() {
    try (Engine _ = storeEngine;
        Engine _ = separateRecordsEngine) {
      separateRecordsEngine = null;
    }
  }
}
