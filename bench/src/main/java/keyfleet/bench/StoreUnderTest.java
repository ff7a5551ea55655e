package keyfleet.bench;

import java.util.List;

/// One side of a comparison: an engine of ours, or the driver that it stands on. Both work on the
/// same bucket of the same server or file, and on tables of records of their own.
interface StoreUnderTest extends AutoCloseable {
  String BUCKET = "bench";
  String BRANCH = "list";

  /// As long as a heartbeat.
  int VALUE_BYTES = 600;

  /// So many compare-and-sets of one key, each from the revision of the one before.
  void compareAndSet(int times) throws Exception;

  /// How many entries the branch has; all of them were read.
  int list() throws Exception;

  /// From now on `heard` runs when the watched key has changed.
  void watch(Runnable onChange) throws Exception;

  /// Changes the watched key.
  void write() throws Exception;

  /// Makes records, by id, with the sealed field as given.
  void seed(List<byte[]> sealed) throws Exception;

  /// Compares and sets all records, so many with one commit.
  void rewrite(int batch) throws Exception;

  @Override
  void close();
}
