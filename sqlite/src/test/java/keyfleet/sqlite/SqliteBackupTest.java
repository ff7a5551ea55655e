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
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import keyfleet.store.Prefix;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.engine.StoreCheck.Level;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Copies of a database that is in use, and the warning about one in memory.
class SqliteBackupTest {
  private static final int BACKUPS = 5;
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  private final SqliteTestFolder folder = new SqliteTestFolder();
  private final Path target = folder.path().resolve("copy.db");

  @AfterEach
  void tearDown() {
    folder.close();
  }

  private static StoreUrl url(Path file) {
    return StoreUrl.parse("sqlite:" + file);
  }

  private List<String> incompleteFiles() {
    File[] found = folder.path().toFile().listFiles();
    return List.of(found == null ? new File[0] : found).stream()
        .map(File::getName)
        .filter(it -> it.contains("incomplete"))
        .toList();
  }

  /// A writer in another process waits for each acknowledgement before its next write. So a copy
  /// that is the store at one moment has the writes from the first to some last one, and at least
  /// those that were acknowledged before the copy began.
  @Test
  void copyUnderAWriterInAnotherProcess_isTheStoreAtOneMoment() {
    folder.openEngine().close();
    try (SqliteWriterProcess writer = SqliteWriterProcess.start(folder.url(), "w", "state");
        SqliteEngine reader = SqliteEngine.open(folder.url().forReading())) {
      writer.awaitReady();
      writer.proceed();
      for (int i = 0; i < BACKUPS; i++) {
        for (int line = 0; line < 20; line++) {
          var _ = writer.readLine();
        }
        int acknowledged = reader.kv().list(SqliteWriterMain.STATE, Prefix.ALL).size();
        Path copy = folder.path().resolve("copy-" + i + ".db");
        reader.backUp(copy);
        assertHasFirstWrites(copy, acknowledged);
      }
      int atEnd = reader.kv().list(SqliteWriterMain.STATE, Prefix.ALL).size();
      assertTrue(atEnd >= 20 * BACKUPS, "the writer wrote on: " + atEnd);
    }
  }

  private static void assertHasFirstWrites(Path copy, int atLeast) {
    try (SqliteEngine engine = SqliteEngine.open(url(copy))) {
      List<Integer> numbers =
          engine.kv().list(SqliteWriterMain.STATE, Prefix.ALL).stream()
              .map(it -> Integer.parseInt(it.key().value().substring(2)))
              .sorted()
              .toList();
      assertTrue(numbers.size() >= atLeast, numbers.size() + " of " + atLeast);
      assertEquals(numbers.size() - 1, numbers.getLast(), "a write is missing");
      assertWritten(engine.kv().put(THINGS, key("after"), value("1")));
    }
  }

  @Test
  void copy_isCompleteInOneFileOfTheOwner() throws IOException {
    try (SqliteEngine engine = folder.openEngine()) {
      assertWritten(engine.kv().put(THINGS, key("a"), value("1")));
      engine.backUp(target);
      assertWritten(engine.kv().put(THINGS, key("a"), value("2")));
    }
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(target)));
    assertEquals(List.of(), incompleteFiles());
    Path elsewhere = Files.createDirectory(folder.path().resolve("elsewhere")).resolve("store.db");
    Files.move(target, elsewhere);
    try (SqliteEngine engine = SqliteEngine.open(url(elsewhere).forReading())) {
      assertEquals(value("1"), engine.kv().get(THINGS, key("a")).orElseThrow().value());
    }
    try (SqliteEngine engine = SqliteEngine.open(url(elsewhere))) {
      assertEquals(List.of(Level.OK, Level.OK, Level.OK, Level.OK), levels(engine));
    }
  }

  private static List<Level> levels(SqliteEngine engine) {
    return engine.storeChecks().stream().map(StoreCheck::level).toList();
  }

  @Test
  void applicationsFile_isCopiedToo() throws SQLException {
    folder.sql(SqliteTestFolder.CREATE_CUSTOMERS, "INSERT INTO customers (id) VALUES ('c-1')");
    try (SqliteEngine engine = SqliteEngine.open(folder.url().forReading())) {
      engine.backUp(target);
    }
    try (Connection copy = DriverManager.getConnection("jdbc:sqlite:" + target)) {
      assertEquals("c-1", SqliteTestFolder.query(copy, "SELECT id FROM customers"));
    }
  }

  @Test
  void existingFile_isNeverReplaced() throws IOException {
    Files.writeString(target, "precious");
    Files.writeString(folder.path().resolve("copy.db.2"), "precious too");
    try (SqliteEngine engine = folder.openEngine()) {
      StoreRefusedException refused =
          assertThrows(StoreRefusedException.class, () -> engine.backUp(target));
      assertEquals(target + " exists, and a backup never replaces a file", refused.getMessage());
      assertEquals("keyfleet backup " + target + ".3", refused.remedy());
      Path itself = folder.file();
      assertThrows(StoreRefusedException.class, () -> engine.backUp(itself));
    }
    assertEquals("precious", Files.readString(target));
    assertEquals(List.of(), incompleteFiles());
  }

  @Test
  void placeThatCannotHaveAFile_isRefused() {
    try (SqliteEngine engine = folder.openEngine()) {
      Path absent = folder.path().resolve("absent/copy.db");
      StoreRefusedException refused =
          assertThrows(StoreRefusedException.class, () -> engine.backUp(absent));
      assertEquals("mkdir -p " + absent.getParent(), refused.remedy());
      Path isFolder = folder.path();
      refused = assertThrows(StoreRefusedException.class, () -> engine.backUp(isFolder));
      assertEquals(isFolder + " is a folder", refused.getMessage());
    }
  }

  @Test
  void damagedStore_leavesNoCopy() throws IOException {
    try (SqliteEngine engine = folder.openEngine()) {
      for (int i = 0; i < 200; i++) {
        assertWritten(engine.kv().put(THINGS, key("a" + i), value("x".repeat(500))));
      }
    }
    try (RandomAccessFile file = new RandomAccessFile(folder.file().toFile(), "rw")) {
      for (long at = 40_960; at < file.length(); at += 4_096) {
        file.seek(at);
        file.write(new byte[64]);
      }
    }
    try (SqliteEngine engine = SqliteEngine.open(folder.url().forReading())) {
      assertThrows(StoreException.class, () -> engine.backUp(target));
    }
    assertTrue(Files.notExists(target), "a copy of a damaged store");
    assertEquals(List.of(), incompleteFiles());
  }

  @Test
  void storeInMemory_isAWarning() throws IOException, InterruptedException {
    Path memory = createFolderInMemory();
    try {
      Path file = memory.resolve("keyfleet.db");
      try (SqliteEngine engine = SqliteEngine.open(url(file))) {
        assertEquals(
            List.of(
                StoreCheck.warn(
                    file + " is in memory (tmpfs): key state is lost when the machine stops",
                    "keyfleet backup /var/lib/keyfleet/keyfleet.db")),
            engine.storeChecks().stream().filter(it -> it.level() != Level.OK).toList());
      }
    } finally {
      for (File file : Objects.requireNonNull(memory.toFile().listFiles())) {
        Files.delete(file.toPath());
      }
      deleteFolderInMemory(memory);
    }
  }

  private Path createFolderInMemory() throws IOException, InterruptedException {
    if (Files.isWritable(SHARED_MEMORY)) {
      return Files.createTempDirectory(SHARED_MEMORY, "keyfleet");
    }
    Path mounted = Files.createDirectory(folder.path().resolve("memory"));
    run("mount", "-t", "tmpfs", "keyfleet", mounted.toString());
    return mounted;
  }

  private static void deleteFolderInMemory(Path memory) throws IOException, InterruptedException {
    if (!memory.startsWith(SHARED_MEMORY)) {
      run("umount", memory.toString());
    }
    Files.delete(memory);
  }

  private static void run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertTrue(process.waitFor(20, TimeUnit.SECONDS), "does not end");
    assertEquals(0, process.exitValue(), String.join(" ", command));
  }
}
