package keyfleet.cli.kek;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import keyfleet.cli.output.Console.Output;
import keyfleet.store.Bytes;
import keyfleet.store.Kv;
import keyfleet.store.RecordId;
import keyfleet.store.SealedFields;
import keyfleet.store.StoreException;
import keyfleet.store.StoredRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Rotations as an operator sees them, with their failures.
class KekRotateCommandTest {
  private static final String SECRETS = "keyfleet_secrets";

  private final InMemoryBackend backend = new InMemoryBackend();
  private final CliFleet fleet = new CliFleet(backend);

  @BeforeEach
  void announceVersionsAndStartFleet() {
    fleet.addKeys(2, 3);
    fleet.announce(1, 2);
    fleet.start("api-1", "api", 1, 2, 3);
    fleet.start("worker-1", "worker", 1, 2, 3);
    fleet.runWith("hunter2", "secret", "put", "db").expectExit(0);
  }

  private CommandResult rotate(String... more) {
    return fleet.runLine("kek rotate --from-version=1 --to-version=2", more);
  }

  private void insertMalformedRecord(String id) {
    Bytes noise = Bytes.copyOf(new byte[] {1, 2, 3});
    backend
        .collection(SECRETS)
        .insert(new StoredRecord(new RecordId(id), SealedFields.of(Map.of("value", noise))));
  }

  @Test
  void waitInAPipe_printsPlainLines() {
    CommandResult result = rotate("--wait").expectExit(0);
    assertFalse(result.out().contains("\r"), result.out());
    assertTrue(
        result.out().lines().toList().getLast().startsWith("v1 -> v2  completed"), result.out());
  }

  @Test
  void terminal_showsABarAndTheEnd() {
    fleet.output = Output.TERMINAL;
    CommandResult result = rotate().expectExit(0);
    assertTrue(result.out().startsWith("\rv1 -> v2  staged"), result.out());
    assertTrue(
        result.out().contains("v1 -> v2  completed  [####################]  1/1  100%"),
        result.out());
    assertTrue(result.out().endsWith("\n"), result.out());
  }

  @Test
  void storeOutage_isRiddenOutInWords() {
    AtomicBoolean isDown = new AtomicBoolean();
    backend.kvWrapper = kv -> breakable(kv, isDown);
    fleet.haltWorkers();
    fleet.onPause(2, () -> isDown.set(true));
    fleet.onPause(
        5,
        () -> {
          isDown.set(false);
          fleet.resumeWorkers();
        });
    CommandResult result = rotate("--wait").expectExit(0);
    result.expectErrorPart("still watching: the store is away\nthe store answers again\n");
    assertTrue(
        result.out().lines().toList().getLast().startsWith("v1 -> v2  completed"), result.out());
  }

  private static Kv breakable(Kv kv, AtomicBoolean isDown) {
    return (Kv)
        Proxy.newProxyInstance(
            Kv.class.getClassLoader(),
            new Class<?>[] {Kv.class},
            (_, method, args) -> {
              if (isDown.get()) {
                throw new StoreException("the store is away");
              }
              try {
                return method.invoke(kv, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void waitWithJson_printsOneObject() {
    CommandResult result = rotate("--wait", "-o", "json").expectExit(0);
    assertEquals(1, result.out().lines().count(), result.out());
    assertTrue(result.out().contains("\"state\":\"completed\""), result.out());
  }

  @Test
  void watchWithJson_printsAnObjectForEachChange() {
    rotate().expectExit(0);
    CommandResult result = fleet.run("kek", "watch", "-o", "json").expectExit(0);
    assertTrue(result.out().lines().count() > 1, result.out());
    assertTrue(result.out().lines().allMatch(it -> it.startsWith("{") && it.endsWith("}")));
    assertTrue(result.out().lines().toList().getLast().contains("\"state\":\"completed\""));
  }

  @Test
  void noWorker_exitsTwo() {
    fleet.stop("worker-1");
    assertEquals(
        """
        keyfleet: no worker is fresh, so no process would drive the rotation
        Try: start a worker on a host that holds both versions: keyfleet server --roles worker
        """,
        rotate().expectExit(2).err());
  }

  @Test
  void timeout_leavesTheRotationRunning() {
    fleet.haltWorkers();
    CommandResult result = rotate("--wait", "--timeout=5s").expectExit(2);
    assertEquals(
        """
        keyfleet: timeout reached in phase staged; the rotation continues
        Try: keyfleet kek watch
        """,
        result.err());
    fleet.resumeWorkers();
    rotate("--wait").expectExit(0);
  }

  @Test
  void laggardAfterTheStart_endsTheRotationWithItsName() {
    fleet.haltWorkers();
    rotate().expectExit(0);
    fleet.start("api-2", "api", 1);
    fleet.resumeWorkers();
    CommandResult result = fleet.run("kek", "watch").expectExit(2);
    assertTrue(result.out().contains("staged"), result.out());
    String status = fleet.run("kek", "status").expectExit(0).out();
    assertTrue(status.contains("state     none, idle\n"), status);
    assertTrue(status.contains("note      not ready: api-2 has not loaded it\n"), status);
  }

  @Test
  void waitForADroppedRotation_reportsWhy() {
    fleet.haltWorkers();
    fleet.onPause(1, () -> fleet.start("api-2", "api", 1));
    fleet.onPause(2, fleet::resumeWorkers);
    assertEquals(
        """
        keyfleet: the rotation was dropped: not ready: api-2 has not loaded it
        Try: keyfleet kek verify --target=2
        """,
        rotate("--wait").expectExit(2).err());
  }

  @Test
  void pausedRotation_waitsForResume() {
    fleet.haltWorkers();
    rotate().expectExit(0);
    assertEquals(
        "keyring main: the rotation is paused in phase staged; the driver stops after its current batch\n",
        fleet.run("kek", "pause").expectExit(0).err());
    assertEquals(
        "keyring main: nothing to do, the rotation is paused in phase staged; the driver stops after its current batch\n",
        fleet.run("kek", "pause").expectExit(0).err());
    assertTrue(
        fleet
            .run("kek", "status", "-o", "json")
            .expectExit(0)
            .out()
            .contains("\"state\":\"paused\",\"phase\":\"staged\""));
    fleet.resumeWorkers();
    fleet.pause(Duration.ofSeconds(1));
    assertTrue(
        fleet.run("kek", "resume", "-o", "json").expectExit(0).out().contains("in_progress"));
    fleet.run("kek", "watch").expectExit(0);
  }

  @Test
  void abortedRotation_isEnded() {
    fleet.haltWorkers();
    rotate().expectExit(0);
    assertEquals(
        "keyring main: the rotation is aborted\n", fleet.run("kek", "abort").expectExit(0).err());
    assertTrue(
        fleet
            .run("kek", "status", "-o", "json")
            .expectExit(0)
            .out()
            .contains("\"state\":\"aborted\",\"phase\":\"aborted\""));
    assertEquals(
        """
        keyfleet: cannot abort the rotation: no rotation is under way
        Try: keyfleet kek status
        """,
        fleet.run("kek", "abort").expectExit(2).err());
  }

  @Test
  void waitForAnAbortedRotation_reportsTheAbort() {
    fleet.haltWorkers();
    fleet.onPause(1, () -> fleet.run("kek", "abort").expectExit(0));
    rotate("--wait").expectExit(2).expectErrorStart("keyfleet: the rotation was aborted\n");
  }

  @Test
  void unmovableRecords_blockTheRotation() {
    insertMalformedRecord("bad");
    rotate("--wait")
        .expectExit(2)
        .expectErrorStart("keyfleet: 1 records cannot be moved until they are repaired\n");
    String status = fleet.run("kek", "status", "-o", "json").expectExit(0).out();
    assertTrue(status.contains("\"state\":\"in_progress\",\"phase\":\"blocked\""), status);
    assertTrue(status.contains("\"failed_records\":1,"), status);
    assertTrue(
        status.endsWith(
            "\"failures\":[{\"collection\":\"sqlite keyfleet_secrets\",\"id\":\"\","
                + "\"reason\":\"records with a field that is not an envelope\"}]}\n"),
        status);
  }

  @Test
  void dryRun_findsWhatWouldFailAndChangesNothing() {
    backend.collection(SECRETS).insert(recordCopiedFrom("db", "copy"));
    CommandResult result = rotate("--dry-run").expectExit(2);
    assertTrue(result.err().contains("dry run: 2 checked, 1 would fail\n"), result.err());
    assertTrue(result.err().contains("sqlite keyfleet_secrets copy: "), result.err());
    assertTrue(fleet.run("kek", "list").expectExit(0).out().contains("v2       announced"));
  }

  /// A record with the envelope of another record: it is well-formed but does not open here.
  private StoredRecord recordCopiedFrom(String from, String id) {
    StoredRecord record = backend.collection(SECRETS).read(new RecordId(from)).orElseThrow();
    return new StoredRecord(new RecordId(id), record.fields());
  }

  @Test
  void revocation_reencryptsAndDisables() {
    fleet
        .run("kek", "revoke", "--from-version=1", "--to-version=2", "--dry-run")
        .expectExit(0)
        .expectErrorStart("dry run: 1 checked, 0 would fail\n");
    fleet.output = Output.TERMINAL;
    fleet
        .runWith("n\n", "kek", "revoke", "--from-version=1", "--to-version=2")
        .expectExit(1)
        .expectErrorPart("keyfleet: nothing was changed\n");
    fleet.output = Output.PIPE;
    fleet
        .run("kek", "revoke", "--from-version=1", "--to-version=2", "--wait", "--yes")
        .expectExit(0);
    assertEquals("hunter2", fleet.run("secret", "get", "db").expectExit(0).out());
    String list = fleet.run("kek", "list").expectExit(0).out();
    assertTrue(list.contains("v1       disabled, compromised  env"), list);
    fleet
        .run("kek", "remove", "--version=1", "--undo")
        .expectExit(2)
        .expectErrorPart("v1 was revoked");
  }

  @Test
  void list_countsProcesses() {
    assertEquals(
        """
        VERSION  STATE      PROVIDER  LOADED  CURRENT
        v1       active     env       2/2     2/2
        v2       announced  env       2/2     0/2
        """,
        fleet.run("kek", "list").expectExit(0).out());
    assertEquals(
        "{\"keyring\":\"main\",\"use\":\"records\",\"epoch\":1,\"active\":1,\"processes\":2,\"versions\":[{\"version\":1,\"state\":\"active\",\"compromised\":false,\"provider\":\"env\",\"loaded\":2,\"current\":2},{\"version\":2,\"state\":\"announced\",\"compromised\":false,\"provider\":\"env\",\"loaded\":2,\"current\":0}]}\n",
        fleet.run("kek", "list", "-o", "json").expectExit(0).out());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1 | kek rotate --from-version=1 --to-version=1     | --from-version and --to-version are the same
          1 | kek rotate --from-version=1 --to-version=3     | v3 is not announced
          1 | kek rotate --from-version=0 --to-version=2     | --from-version=0 is not a version; use a positive integer
          2 | kek rotate --from-version=3 --to-version=2     | the active version is v1, not v3
          1 | kek rotate --from-version=1                    | missing required option: '--to-version=N'
          1 | kek rotate --from-version=1 --to-version=2 --timeout=1m | --timeout has no effect without --wait
          1 | kek revoke --from-version=1 --to-version=2 | revoking v1 needs --yes
          2 | kek pause                                      | cannot pause the rotation: no rotation is under way
          2 | kek rate 500                                   | cannot set the rate: no rotation is under way
          1 | kek rate fast                                  | fast is not a number of records per second; use a whole number, or 0 for no limit
          1 | kek status --keyring=pay                       | keyring pay has no key yet
          1 | kek status --store=ftp://x                     | unknown store engine: ftp
          1 | kek announce --version=9                       | this host does not hold v9 of keyring main
          1 | kek announce --version=1 --use=kms --keyring=main | keyring main is for records, and the use of a keyring never changes
          1 | kek announce --version=1 --use=disk            | --use=disk is neither records nor kms
          1 | kek remove --version=1 --undo --destroy        | --undo and --destroy cannot be combined
          1 | kek remove --version=1 --horizon=1d            | --horizon has no effect without --destroy
          1 | kek remove --version=1 --destroy               | destroying main/v1 needs --yes
          """)
  void badInput_isReportedInOneSentence(int exit, String command, String message) {
    CommandResult result = fleet.run(command.split(" +")).expectExit(exit);
    assertTrue(result.err().startsWith("keyfleet: " + message + "\nTry: "), result.err());
    assertEquals("", result.out());
  }
}
