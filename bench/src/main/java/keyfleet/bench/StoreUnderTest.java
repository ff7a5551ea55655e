package keyfleet.bench;

import java.util.List;

/// One side of a comparison: an engine of ours, or the driver that it uses. Both work on the same
/// bucket of the same server or file, each with record tables of its own.
interface StoreUnderTest extends AutoCloseable {
  String BUCKET = "bench";
  String BRANCH = "list";

  /// About the size of a heartbeat.
  int VALUE_BYTES = 600;

  /// Does this many compare-and-sets of one key, each from the revision of the one before.
  void compareAndSet(int times) throws Exception;

  /// Reads all entries of the branch and returns how many there are.
  int list() throws Exception;

  /// From now on `onChange` runs whenever the watched key changes.
  void watch(Runnable onChange) throws Exception;

  /// Changes the watched key.
  void write() throws Exception;

  /// Inserts records, by id, with the given sealed fields.
  void seed(List<byte[]> sealed) throws Exception;

  /// Rewrites all records with compare-and-set, this many in one commit.
  void rewrite(int batch) throws Exception;

  @Override
  void close();
}
