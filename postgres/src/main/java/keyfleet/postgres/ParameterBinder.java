package keyfleet.postgres;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import keyfleet.store.Bytes;
import keyfleet.store.SealedFields;

/// Sets the parameters of a statement, one after another.
final class ParameterBinder {
  private final PreparedStatement statement;
  private int last;

  ParameterBinder(PreparedStatement statement) {
    this.statement = statement;
  }

  ParameterBinder text(String text) throws SQLException {
    statement.setString(++last, text);
    return this;
  }

  ParameterBinder number(int number) throws SQLException {
    statement.setInt(++last, number);
    return this;
  }

  /// In the order of the columns; an absent one is null.
  ParameterBinder fields(List<String> names, SealedFields fields) throws SQLException {
    for (String name : names) {
      Bytes field = fields.byName().get(name);
      statement.setBytes(++last, field == null ? null : field.toArray());
    }
    return this;
  }

  ParameterBinder texts(List<String> texts) throws SQLException {
    return array("text", texts.toArray());
  }

  /// For each column, what each record has there.
  ParameterBinder columns(List<String> names, List<SealedFields> records) throws SQLException {
    for (String name : names) {
      byte[][] column = new byte[records.size()][];
      for (int i = 0; i < column.length; i++) {
        Bytes field = records.get(i).byName().get(name);
        if (field != null) {
          column[i] = field.toArray();
        }
      }
      array("bytea", column);
    }
    return this;
  }

  private ParameterBinder array(String type, Object[] elements) throws SQLException {
    statement.setArray(++last, statement.getConnection().createArrayOf(type, elements));
    return this;
  }
}
