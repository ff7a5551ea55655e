package keyfleet.store;

import java.util.List;

/// A database that was opened by its URL and found fit for use. Threads share it; closing it ends
/// its watches.
///
/// Opening throws a [StoreException] while the database does not answer, and a
/// [StoreRefusedException] if it answers but must not be used as it is.
public interface Engine extends AutoCloseable {
  Kv kv();

  /// The records of a collection that exists.
  Records records(CollectionShape shape);

  /// What was found, on opening, about how safe this database is.
  List<Check> checks();

  @Override
  void close();
}
