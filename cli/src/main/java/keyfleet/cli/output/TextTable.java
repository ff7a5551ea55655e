package keyfleet.cli.output;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/// A text table with a heading. Each column is as wide as its widest cell.
public final class TextTable {
  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();

  public TextTable(String... heading) {
    addRow(heading);
  }

  public void addRow(String... cells) {
    rows.add(List.of(cells));
  }

  public void print(PrintStream out) {
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.size(); i++) {
        line.append(row.get(i)).append(" ".repeat(width(i) - row.get(i).length())).append(GAP);
      }
      out.println(line.toString().stripTrailing());
    }
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
  }
}
