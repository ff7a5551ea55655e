package keyfleet.sqlite;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.assertWritten;
import static keyfleet.store.StoreFixtures.key;
import static keyfleet.store.StoreFixtures.value;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import keyfleet.store.Bucket;
import keyfleet.store.FenceResult;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoreException;
import keyfleet.store.StoreFixtures;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.StoredRecord;
import keyfleet.store.engine.CompareAndSetProbe;
import keyfleet.store.engine.StoreCheck.Level;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Files that the engine refuses to open, and files that it stops using.
class SqliteRefusalTest {
  private static final Bucket HEARTBEATS = new Bucket.Expiring("beats", Duration.ofMinutes(1));
  private static final Key A = new Key("a");

  private final SqliteTestFolder folder = new SqliteTestFolder();

  @AfterEach
  void tearDown() {
    folder.close();
  }

  @ParameterizedTest
  @CsvSource({
    "ext4, LOCAL",
    "xfs, LOCAL",
    "btrfs, LOCAL",
    "overlay, LOCAL",
    "apfs, LOCAL",
    "tmpfs, VOLATILE",
    "ramfs, VOLATILE",
    "TMPFS, VOLATILE",
    "zfs, LOCAL",
    "fuseblk, LOCAL",
    "nfs, SHARED",
    "nfs4, SHARED",
    "NFS, SHARED",
    "cifs, SHARED",
    "smb3, SHARED",
    "smbfs, SHARED",
    "9p, SHARED",
    "fuse.sshfs, SHARED",
    "fuse, SHARED",
    "fuse.glusterfs, SHARED",
    "ceph, SHARED",
    "afpfs, SHARED",
    "virtiofs, SHARED",
    "vboxsf, SHARED",
    "newfs, UNKNOWN",
    "'', UNKNOWN",
  })
  void filesystem_isClassifiedByItsType(String type, FilesystemKind kind) {
    assertEquals(kind, FilesystemKind.of(type));
  }

  @Test
  void missingFolder_isRefusedWithTheCommandThatMakesIt() {
    StoreRefusedException refused = refused(folder.path() + "/not/there/keyfleet.db");
    assertEquals(StoreRefusedException.Reason.NO_ACCESS, refused.reason());
    assertTrue(refused.getMessage().startsWith("there is no folder "), refused::getMessage);
    assertTrue(refused.remedy().startsWith("mkdir -p "), refused::remedy);
  }

  @Test
  void folderInPlaceOfAFile_isRefused() {
    assertTrue(refused(folder.path().toString()).getMessage().endsWith(" is a folder"));
  }

  @Test
  void parameter_isRefused() {
    assertTrue(refused(folder.file() + "?mode=ro").getMessage().contains("no parameter mode"));
  }

  @Test
  void fileThatIsNoDatabase_isRefusedAndLeftAlone() throws IOException {
    String text =
        "this is some other text file that happens to be longer than a header ".repeat(20);
    Files.writeString(folder.file(), text);
    String sentence = refused(folder.file().toString()).getMessage();
    assertTrue(sentence.endsWith(" is not a SQLite database"), sentence);
    assertEquals(text, Files.readString(folder.file()));
  }

  @Test
  void damagedFile_isRefused() throws IOException {
    folder.openEngine().close();
    byte[] bytes = Files.readAllBytes(folder.file());
    Arrays.fill(bytes, 100, bytes.length, (byte) 0xA5);
    Files.write(folder.file(), bytes);
    String sentence = refused(folder.file().toString()).getMessage();
    assertTrue(sentence.endsWith(" is damaged"), sentence);
  }

  @ParameterizedTest
  @CsvSource({"0, the Keyfleet version that created it", "2, a newer Keyfleet"})
  void tablesOfAnotherVersion_areRefused(int version, String remedy) {
    folder.openEngine().close();
    folder.sql("PRAGMA user_version=" + version);
    StoreRefusedException refused = refused(folder.file().toString());
    assertTrue(
        refused.getMessage().contains("has tables of version " + version + ", this Keyfleet"),
        refused::getMessage);
    assertEquals(remedy, refused.remedy());
  }

  @Test
  void fileOfAnApplication_hasRecordsButNoBuckets() {
    folder.sql("PRAGMA user_version=7", SqliteTestFolder.CREATE_CUSTOMERS);
    try (SqliteEngine engine = folder.openEngine()) {
      assertThrows(StoreRefusedException.class, engine::kv);
      Records records = engine.records(SqliteTestFolder.CUSTOMERS);
      assertEquals(new RecordWriteResult.Stored(), records.insert(StoreFixtures.record(1, 1)));
      assertEquals(new FenceResult.Raised(), records.fence(StoreFixtures.fence(1, 2)));
      assertInstanceOf(RecordWriteResult.Fenced.class, records.insert(StoreFixtures.record(2, 1)));
      assertEquals(Level.WARN, engine.storeChecks().getFirst().level());
    }
    assertFalse(Files.exists(folder.path().resolve("keyfleet-beats.db")));
  }

  @Test
  void everyFile_isAccessibleToItsOwnerOnly() throws IOException {
    try (SqliteEngine engine = folder.openEngine()) {
      assertWritten(engine.kv().put(THINGS, A, value("one")));
      assertWritten(engine.kv().put(HEARTBEATS, A, value("one")));
      try (Stream<Path> files = Files.list(folder.path())) {
        for (Path file : files.toList()) {
          String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
          assertEquals("rw-------", mode, file::toString);
        }
      }
      assertEquals(
          List.of(), engine.storeChecks().stream().filter(it -> it.level() != Level.OK).toList());
      Files.setPosixFilePermissions(folder.file(), PosixFilePermissions.fromString("rw-r--r--"));
      assertTrue(
          engine.storeChecks().stream().anyMatch(it -> it.remedy().startsWith("chmod 600 ")));
    }
  }

  @ParameterizedTest
  @CsvSource({"keyfleet.db", "keyfleet-beats.db"})
  void replacedFile_isNoLongerWritten(String name) throws IOException {
    Bucket bucket = name.contains("beats") ? HEARTBEATS : THINGS;
    Path file = folder.path().resolve(name);
    Path aside = folder.path().resolve("aside");
    try (SqliteEngine engine = folder.openEngine()) {
      assertWritten(engine.kv().put(bucket, A, value("one")));
      Files.move(file, aside);
      assertGone(engine, bucket);
      Files.writeString(file, "another file");
      assertGone(engine, bucket);
      Files.delete(file);
      Files.move(aside, file);
      assertWritten(engine.kv().put(bucket, A, value("two")));
    }
  }

  private static void assertGone(SqliteEngine engine, Bucket bucket) {
    for (int i = 0; i < 3; i++) {
      StoreException gone =
          assertThrows(StoreException.class, () -> engine.kv().put(bucket, A, value("lost")));
      assertTrue(gone.getMessage().contains(" is not the file that was opened"), gone::getMessage);
      assertThrows(StoreException.class, () -> engine.kv().get(bucket, A));
    }
  }

  /// Uses a query-only connection, because root may write a read-only file: SQLite reports the same
  /// error.
  @Test
  void readOnlyFile_isRefused() {
    try (SqliteDatabase file = openStateDatabase()) {
      StoreRefusedException refused =
          assertThrows(
              StoreRefusedException.class,
              () ->
                  file.runAlone(session -> {
                    session.run("PRAGMA query_only=ON");
                    return session.update("UPDATE keyfleet_store SET id = ''");
                  }));
      assertTrue(refused.getMessage().contains("cannot be written"), refused::getMessage);
    }
  }

  @Test
  void fullDisk_isReportedAndRecovers() {
    try (SqliteEngine engine = folder.openEngine()) {
      assertWritten(engine.kv().create(THINGS, A, value("before")));
      long pages = engine.stateDatabase().read(it -> it.number("PRAGMA page_count"));
      limit(engine, pages);
      StoreException full = fill(engine.kv());
      assertTrue(full.getMessage().matches("the disk of .* is full"), full::getMessage);
      assertEquals(Optional.of("before"), engine.kv().get(THINGS, A).map(it -> it.value().text()));
      limit(engine, Integer.MAX_VALUE);
      assertWritten(engine.kv().create(THINGS, key("after"), value("x".repeat(100_000))));
    }
  }

  /// Like a disk that fails during the sync: SQLite answers the commit with an error.
  @Test
  void commitWithoutAClearAnswer_isUnknown() {
    try (SqliteEngine engine = folder.openEngine()) {
      Optional<Integer> committed =
          engine
              .stateDatabase()
              .write(session -> {
                int changed = session.update("UPDATE keyfleet_store SET id = 'kept'");
                session.run("COMMIT");
                return changed;
              });
      assertEquals(Optional.empty(), committed);
      assertWritten(engine.kv().put(THINGS, A, value("works again")));
    }
  }

  /// Deferred constraints are checked at the commit.
  @Test
  void commitThatTheDatabaseRefuses_didNotHappen() {
    folder.sql(
        "CREATE TABLE orders (customer TEXT REFERENCES customers DEFERRABLE INITIALLY DEFERRED)",
        SqliteTestFolder.CREATE_CUSTOMERS,
        "INSERT INTO customers (id) VALUES ('a')",
        "INSERT INTO orders VALUES ('a')");
    try (SqliteEngine engine = folder.openEngine()) {
      Records records = engine.records(SqliteTestFolder.CUSTOMERS);
      StoredRecord customer = new StoredRecord(new RecordId("a"), SealedFields.NONE);
      assertThrows(StoreException.class, () -> records.delete(customer));
      assertEquals(Optional.of(customer), records.read(customer.id()));
    }
  }

  @Test
  void raceProbe_findsNothing() {
    try (SqliteEngine engine = folder.openEngine()) {
      CompareAndSetProbe probe =
          new CompareAndSetProbe(engine.kv(), "probe", System::nanoTime, Duration.ofSeconds(30));
      assertInstanceOf(CompareAndSetProbe.Passed.class, probe.run());
    }
  }

  private static void limit(SqliteEngine engine, long pages) {
    engine.stateDatabase().read(session -> session.number("PRAGMA max_page_count=" + pages));
  }

  private static StoreException fill(Kv kv) {
    return assertThrows(
        StoreException.class, () -> kv.create(THINGS, key("big"), value("x".repeat(100_000))));
  }

  @Test
  void closedEngine_fails() {
    SqliteEngine engine = folder.openEngine();
    engine.kv().put(HEARTBEATS, A, value("one"));
    engine.close();
    assertThrows(StoreException.class, () -> engine.kv().put(THINGS, A, value("one")));
    assertThrows(StoreException.class, () -> engine.kv().get(HEARTBEATS, A));
  }

  private SqliteDatabase openStateDatabase() {
    folder.openEngine().close();
    SqliteWriterQueue queue =
        SqliteLockFile.open(new SqlitePaths(folder.file()).lock()).stateQueue();
    return new SqliteDatabase(folder.file(), queue, SqliteSession.Durability.FULL);
  }

  private static StoreRefusedException refused(String path) {
    return assertThrows(
        StoreRefusedException.class,
        () -> SqliteEngine.open(StoreUrl.parse("sqlite:" + path)).close());
  }
}
