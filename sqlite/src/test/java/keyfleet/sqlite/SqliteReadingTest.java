package keyfleet.sqlite;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.assertWritten;
import static keyfleet.store.StoreFixtures.key;
import static keyfleet.store.StoreFixtures.value;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import keyfleet.store.Bucket;
import keyfleet.store.Prefix;
import keyfleet.store.StoreRefusedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// An engine that only reads: it makes no file and no table, and needs no right to write.
class SqliteReadingTest {
  private static final Bucket BEATS = new Bucket.Expiring("beats", Duration.ofMinutes(1));

  private final SqliteTestFolder folder = new SqliteTestFolder();

  @AfterEach
  void tearDown() {
    folder.close();
  }

  private SqliteEngine openForReading() {
    return SqliteEngine.open(folder.url().forReading());
  }

  private List<String> names() {
    File[] found = folder.path().toFile().listFiles();
    return List.of(found == null ? new File[0] : found).stream()
        .map(File::getName)
        .sorted()
        .toList();
  }

  @Test
  void missingFile_isNoStore() {
    StoreRefusedException e = assertThrows(StoreRefusedException.class, this::openForReading);
    assertEquals("there is no Keyfleet store at " + folder.file(), e.getMessage());
    assertEquals(List.of(), names());
  }

  @Test
  void emptyFile_isNoStore() throws IOException {
    Files.createFile(folder.file());
    assertThrows(StoreRefusedException.class, this::openForReading);
    assertEquals(0, Files.size(folder.file()));
  }

  @Test
  void reader_seesEntriesAndAddsNoFile() throws IOException {
    try (SqliteEngine engine = folder.openEngine()) {
      assertWritten(engine.kv().put(THINGS, key("a"), value("1")));
      assertWritten(engine.kv().put(BEATS, key("b"), value("2")));
    }
    assertReads(1);
    Path beats = folder.path().resolve("store-beats.db");
    for (String name : names()) {
      if (name.contains("-beats")) {
        beats = folder.path().resolve(name);
      }
    }
    Files.delete(beats);
    List<String> before = names();
    assertReads(0);
    assertEquals(before, names());
  }

  private void assertReads(int beats) {
    try (SqliteEngine engine = openForReading()) {
      assertEquals(1, engine.kv().list(THINGS, Prefix.ALL).size());
      assertEquals(beats, engine.kv().list(BEATS, Prefix.ALL).size());
      assertEquals(0, engine.kv().list(new Bucket.Lasting("never"), Prefix.ALL).size());
      assertTrue(engine.kv().storeTime().millis() > 0);
      assertThrows(
          IllegalStateException.class, () -> engine.kv().put(THINGS, key("a"), value("2")));
    }
  }
}
