package keyfleet.store;

import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A collection under test, empty at first, and the operations that a test needs on it.
public interface RecordsFixture extends AutoCloseable {
  Records records();

  /// Writes a column that is not sealed, as an application would without Keyfleet.
  RecordWriteResult writeUnrelated(RecordId id, String text);

  /// Writes the version field alone.
  void writeVersionField(RecordId id, @Nullable Integer version);

  Optional<Integer> readVersionField(RecordId id);

  @Override
  default void close() {}

  /// A fixture of the fake; `connection` wraps the fake that the test uses.
  static RecordsFixture ofFake(UnaryOperator<Records> connection) {
    FakeRecords fake = new FakeRecords();
    Records records = connection.apply(fake);
    return new RecordsFixture() {
      @Override
      public Records records() {
        return records;
      }

      @Override
      public RecordWriteResult writeUnrelated(RecordId id, String text) {
        return fake.writeUnrelated(id, text);
      }

      @Override
      public void writeVersionField(RecordId id, @Nullable Integer version) {
        fake.writeVersionField(id, version);
      }

      @Override
      public Optional<Integer> readVersionField(RecordId id) {
        return fake.readVersionField(id);
      }
    };
  }
}
