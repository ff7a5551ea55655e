package keyfleet.store.engine;

import java.nio.file.Path;
import java.util.List;
import keyfleet.store.CollectionShape;
import keyfleet.store.Kv;
import keyfleet.store.Records;
import keyfleet.store.StoreRefusedException;

/// A database that was opened by its URL and found safe to use. Threads share it; closing it ends
/// its watches.
///
/// Opening throws a [StoreException] while the database does not answer, and a
/// [StoreRefusedException] if it answers but must not be used in its present state.
public interface Engine extends AutoCloseable {
  Kv kv();

  /// For pages and lists that people look at: reads may lag where the store's URL allows it. No
  /// decision may use it, and no write.
  default Kv kvForPages() {
    return kv();
  }

  /// The records of an existing collection.
  Records records(CollectionShape shape);

  /// Creates the collection unless it exists: for Keyfleet's own records, such as secrets.
  /// Applications create their own collections.
  default void createCollection(CollectionShape shape) {
    throw new StoreRefusedException(
        "collection " + shape.name() + " cannot be created: this engine stores no records",
        "--records postgresql://HOST/DATABASE");
  }

  /// Scans the whole database for envelopes that no registration declares. It reads a lot and
  /// changes nothing.
  default EnvelopeScan scanForEnvelopes(EnvelopeScan.Scope scope) {
    return EnvelopeScan.skipped("all of it", "this engine stores no records");
  }

  /// Writes a consistent copy of the whole database to a new file of this host, while others use
  /// the database. Database servers have tools of their own for this.
  default void backUp(Path target) {
    throw StoreRefusedException.noAccess(
        "only a SQLite store can be copied to " + target, "use the database's own tools");
  }

  /// What the engine found about the safety of this database.
  List<StoreCheck> storeChecks();

  @Override
  void close();
}
