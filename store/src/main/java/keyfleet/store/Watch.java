package keyfleet.store;

/// A running watch. After it is closed, no new hint starts.
public interface Watch extends AutoCloseable {
  @Override
  void close();
}
