package keyfleet.store;

/// A running watch. Once closed it starts no further hint.
public interface Watch extends AutoCloseable {
  @Override
  void close();
}
