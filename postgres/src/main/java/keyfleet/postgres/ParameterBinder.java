package keyfleet.postgres;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Bytes;
import keyfleet.store.CollectionShape;
import keyfleet.store.SealedFields;

/// Binds the parameters of a statement, one after another.
final class ParameterBinder {
  private final PreparedStatement statement;
  private int lastIndex;

  ParameterBinder(PreparedStatement statement) {
    this.statement = statement;
  }

  ParameterBinder bindText(String text) throws SQLException {
    statement.setString(++lastIndex, text);
    return this;
  }

  ParameterBinder bindNumber(int number) throws SQLException {
    statement.setInt(++lastIndex, number);
    return this;
  }

  /// The version field of a record with these fields; nothing if the table has none.
  ParameterBinder bindVersion(CollectionShape shape, SealedFields fields) throws SQLException {
    if (shape.versionField().isPresent()) {
      Integer version = fields.lowestVersion().map(KekVersion::number).orElse(null);
      statement.setObject(++lastIndex, version, Types.INTEGER);
    }
    return this;
  }

  /// As [#bindVersion], an array with the values of all records.
  ParameterBinder bindVersions(CollectionShape shape, List<SealedFields> records)
      throws SQLException {
    return shape.versionField().isEmpty()
        ? this
        : bindArray(
            "integer",
            records.stream()
                .map(it -> it.lowestVersion().map(KekVersion::number).orElse(null))
                .toArray());
  }

  /// In the order of the columns; an absent field is null.
  ParameterBinder bindFields(List<String> names, SealedFields fields) throws SQLException {
    for (String name : names) {
      Bytes field = fields.byName().get(name);
      statement.setBytes(++lastIndex, field == null ? null : field.toArray());
    }
    return this;
  }

  ParameterBinder bindTexts(List<String> texts) throws SQLException {
    return bindArray("text", texts.toArray());
  }

  /// One array for each column, with the values of all records.
  ParameterBinder bindColumns(List<String> names, List<SealedFields> records) throws SQLException {
    for (String name : names) {
      byte[][] column = new byte[records.size()][];
      for (int i = 0; i < column.length; i++) {
        Bytes field = records.get(i).byName().get(name);
        if (field != null) {
          column[i] = field.toArray();
        }
      }
      bindArray("bytea", column);
    }
    return this;
  }

  private ParameterBinder bindArray(String type, Object[] elements) throws SQLException {
    statement.setArray(++lastIndex, statement.getConnection().createArrayOf(type, elements));
    return this;
  }
}
