package keyfleet.store;

import java.util.function.UnaryOperator;

/// A collection under test, empty at first, and what a test must be able to do to it.
public interface RecordsRig extends AutoCloseable {
  Records records();

  /// Writes a column that is not sealed, as an application would, past Keyfleet.
  RecordWrite writeUnrelated(RecordId id, String text);

  @Override
  default void close() {}

  /// The rig of the fake; `connection` is what stands between it and the test.
  static RecordsRig ofFake(UnaryOperator<Records> connection) {
    FakeRecords fake = new FakeRecords();
    Records records = connection.apply(fake);
    return new RecordsRig() {
      @Override
      public Records records() {
        return records;
      }

      @Override
      public RecordWrite writeUnrelated(RecordId id, String text) {
        return fake.writeUnrelated(id, text);
      }
    };
  }
}
