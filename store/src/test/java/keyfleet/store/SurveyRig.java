package keyfleet.store;

/// A database of its own under test, and what an application does there.
public interface SurveyRig extends AutoCloseable {
  Engine engine();

  /// Makes a collection with an id, the binary fields `secret` and `other`, and a text `note`.
  void make(String collection);

  /// Adds a record with these fields, under an id of its own.
  void add(String collection, byte[] secret, byte[] other, String note);

  /// Makes a view of the collection; what the survey must say of it.
  String view(String name, String of);

  @Override
  void close();
}
