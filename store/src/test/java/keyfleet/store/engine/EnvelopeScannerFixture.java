package keyfleet.store.engine;

/// A separate database under test, and what an application does in it.
public interface EnvelopeScannerFixture extends AutoCloseable {
  Engine engine();

  /// Creates a collection with an id, the binary fields `secret` and `other`, and the text field
  /// `note`.
  void createCollection(String collection);

  /// Adds a record with these fields and a new id.
  void addRecord(String collection, byte[] secret, byte[] other, String note);

  /// Creates a view of the collection, and returns the name that the scan must report for it.
  String createView(String name, String collection);

  @Override
  void close();
}
