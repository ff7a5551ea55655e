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

  /// Makes the collection unless it is there: for records of our own, such as the secrets. An
  /// application makes its own.
  default void make(CollectionShape shape) {
    throw new StoreRefusedException(
        "this engine keeps no records, so it cannot make " + shape.name(),
        "--records postgresql://HOST/DATABASE");
  }

  /// Looks through all of this database for envelopes that nobody declared. It reads much, and
  /// changes nothing.
  default Survey survey(Survey.Scope scope) {
    return Survey.nothing("all of it", "this engine keeps no records");
  }

  /// What was found, on opening, about how safe this database is.
  List<Check> checks();

  @Override
  void close();
}
