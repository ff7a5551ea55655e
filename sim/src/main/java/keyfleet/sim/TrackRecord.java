package keyfleet.sim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/// The tables of a Markdown file that programs update. Each table stands between `<!-- name -->`
/// and `<!-- end -->`; its first two lines are the header, and the first cell of a row is its key.
final class TrackRecord {
  private final Path file;

  TrackRecord(Path file) {
    this.file = file;
  }

  List<List<String>> rows(String table) throws IOException {
    List<String> lines = Files.readAllLines(file);
    int start = startOf(lines, table);
    return lines.subList(start, endOf(lines, start)).stream().map(TrackRecord::cells).toList();
  }

  /// Replaces the rows of a table and keeps its header.
  void write(String table, List<List<String>> rows) throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(file));
    int start = startOf(lines, table);
    List<String> old = lines.subList(start, endOf(lines, start));
    old.clear();
    old.addAll(rows.stream().map(TrackRecord::line).toList());
    Files.writeString(file, String.join("\n", lines) + "\n");
  }

  /// Replaces the row that has the key of `row`, or appends `row`.
  void put(String table, List<String> row) throws IOException {
    List<List<String>> rows = new ArrayList<>(rows(table));
    int index = rows.stream().map(List::getFirst).toList().indexOf(row.getFirst());
    if (index < 0) {
      rows.add(row);
    } else {
      rows.set(index, row);
    }
    write(table, rows);
  }

  private int startOf(List<String> lines, String table) {
    int mark = lines.indexOf("<!-- " + table + " -->");
    if (mark < 0) {
      throw new IllegalArgumentException(file + " has no table " + table);
    }
    return mark + 3;
  }

  private static int endOf(List<String> lines, int start) {
    int end = start;
    while (!lines.get(end).equals("<!-- end -->")) {
      end++;
    }
    return end;
  }

  private static List<String> cells(String line) {
    return Arrays.stream(line.substring(1, line.length() - 1).split("\\|", -1))
        .map(String::strip)
        .toList();
  }

  private static String line(List<String> cells) {
    return cells.stream().collect(Collectors.joining(" | ", "| ", " |"));
  }
}
