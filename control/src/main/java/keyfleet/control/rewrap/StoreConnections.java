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

/// The connections to the store of the fleet and to the store of the records, which may be the
/// same. A separate store of records is opened when it is first needed.
public final class StoreConnections implements CollectionOpener, AutoCloseable {
  /// NATS has a key-value store and no records.
  private static final String ENGINE_WITHOUT_RECORDS = "nats";

  /// A store that a command searches. `lookup` tells whether a registered collection is in it.
  public record SearchedStore(
      String engine, Supplier<Engine> open, Predicate<CollectionRegistration> lookup) {
    public boolean has(CollectionRegistration registration) {
      return lookup.test(registration);
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
      Function<StoreUrl, Engine> openEngine, StoreUrl storeUrl, StoreUrl recordsUrl) {
    return new StoreConnections(openEngine, storeUrl, recordsUrl);
  }

  public Kv kv() {
    return storeEngine.kv();
  }

  /// For pages and lists only: see [Engine#kvForPages].
  public Kv kvForPages() {
    return storeEngine.kvForPages();
  }

  /// The results of the safety checks that ran when the store was opened.
  public List<StoreCheck> storeChecks() {
    return storeEngine.storeChecks();
  }

  /// The engine of the records, by the name that registrations use.
  public String recordsEngineName() {
    return recordsUrl.scheme();
  }

  /// The engine of the records.
  public Engine recordsEngine() {
    if (recordsUrl.scheme().equals(ENGINE_WITHOUT_RECORDS)) {
      throw StoreRefusedException.noAccess(
          "NATS stores no records", "--records postgresql://HOST/DATABASE");
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

  /// The stores that can have envelopes: that of the records, and the fleet's store if it is
  /// another.
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

  /// Throws if the collection should be in a store of this process but is not available. Empty if
  /// it is in another store.
  public Optional<Records> findRecords(CollectionRegistration registration) {
    String engine = registration.engine();
    if (registration.isCluster() || engine.equals(ENGINE_WITHOUT_RECORDS)) {
      return Optional.empty();
    }
    CollectionShape shape = toShape(registration);
    if (engine.equals(recordsUrl.scheme())) {
      return Optional.of(recordsEngine().records(shape));
    }
    return engine.equals(storeUrl.scheme())
        ? Optional.of(storeEngine.records(shape))
        : Optional.empty();
  }

  @Override
  public Optional<Records> open(CollectionRegistration registration) {
    try {
      return findRecords(registration);
    } catch (StoreRefusedException e) {
      if (e.reason() == StoreRefusedException.Reason.NO_COLLECTION) {
        throw e;
      }
      return Optional.empty();
    } catch (StoreException e) {
      return Optional.empty();
    }
  }

  public static CollectionShape toShape(CollectionRegistration registration) {
    return new CollectionShape(
        registration.collection(),
        registration.idField(),
        new TreeSet<>(registration.sealedFields()),
        registration.versionFieldName());
  }

  @Override
  public void close() {
    try (Engine _ = storeEngine;
        Engine _ = separateRecordsEngine) {
      separateRecordsEngine = null;
    }
  }
}
