package keyfleet.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrackRecordTest {
  private static final String TEXT =
      """
      # Record

      <!-- runs -->
      | commit | runs |
      |---|---|
      <!-- end -->

      After.
      """;

  @TempDir private Path folder;

  @Test
  void rows_areAddedReplacedAndReadBack() throws IOException {
    Path file = Files.writeString(folder.resolve("record.md"), TEXT);
    TrackRecord record = new TrackRecord(file);
    assertEquals(List.of(), record.rows("runs"));
    record.put("runs", List.of("a", "1"));
    record.put("runs", List.of("b", "2"));
    record.put("runs", List.of("a", "3"));
    assertEquals(List.of(List.of("a", "3"), List.of("b", "2")), record.rows("runs"));
    String expected = TEXT.replace("|---|---|\n", "|---|---|\n| a | 3 |\n| b | 2 |\n");
    assertEquals(expected, Files.readString(file));
  }

  @Test
  void missingTable_isRefused() throws IOException {
    TrackRecord record = new TrackRecord(Files.writeString(folder.resolve("empty.md"), "\n"));
    assertThrows(IllegalArgumentException.class, () -> record.rows("runs"));
  }
}
