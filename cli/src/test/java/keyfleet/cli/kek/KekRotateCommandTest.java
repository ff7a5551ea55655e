package keyfleet.cli.kek;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import keyfleet.cli.output.Console.Output;
import keyfleet.store.Bytes;
import keyfleet.store.RecordId;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Rotations as an operator sees them, with their troubles.
class KekRotateCommandTest {
  private static final String SECRETS = "keyfleet_secrets";

  private final InMemoryBackend world = new InMemoryBackend();
  private final CliFleet fleet = new CliFleet(world);

  @BeforeEach
  void begin() {
    fleet.give(2, 3);
    fleet.run("kek", "announce", "--version=1").exits(0);
    fleet.run("kek", "announce", "--version=2").exits(0);
    fleet.start("api-1", "api", 1, 2, 3);
    fleet.start("worker-1", "worker", 1, 2, 3);
    fleet.runWith("hunter2", "secret", "put", "db").exits(0);
  }

  private CommandResult rotate(String... more) {
    String[] args = new String[more.length + 4];
    args[0] = "kek";
    args[1] = "rotate";
    args[2] = "--from-version=1";
    args[3] = "--to-version=2";
    System.arraycopy(more, 0, args, 4, more.length);
    return fleet.run(args);
  }

  private void spoil(String id) {
    Bytes noise = Bytes.copyOf(new byte[] {1, 2, 3});
    world
        .collection(SECRETS)
        .insert(new StoredRecord(new RecordId(id), SealedFields.of(Map.of("value", noise))));
  }

  @Test
  void waitingInAPipe_printsPlainLines() {
    CommandResult said = rotate("--wait").exits(0);
    assertFalse(said.out().contains("\r"), said.out());
    assertTrue(said.out().lines().toList().getLast().startsWith("v1 -> v2  completed"), said.out());
  }

  @Test
  void terminal_showsABarAndTheEnd() {
    fleet.output = Output.TERMINAL;
    CommandResult said = rotate().exits(0);
    assertTrue(said.out().startsWith("\rv1 -> v2  staged"), said.out());
    assertTrue(
        said.out().contains("v1 -> v2  completed  [####################]  1/1  100%"), said.out());
    assertTrue(said.out().endsWith("\n"), said.out());
  }

  @Test
  void waitingForJson_getsOneObject() {
    CommandResult said = rotate("--wait", "-o", "json").exits(0);
    assertEquals(1, said.out().lines().count(), said.out());
    assertTrue(said.out().contains("\"state\":\"completed\""), said.out());
  }

  @Test
  void watchersOfJson_getAnObjectForEachChange() {
    rotate().exits(0);
    CommandResult said = fleet.run("kek", "watch", "-o", "json").exits(0);
    assertTrue(said.out().lines().count() > 1, said.out());
    assertTrue(said.out().lines().allMatch(it -> it.startsWith("{") && it.endsWith("}")));
    assertTrue(said.out().lines().toList().getLast().contains("\"state\":\"completed\""));
  }

  @Test
  void noWorker_isACondition() {
    fleet.stop("worker-1");
    assertEquals(
        """
        keyfleet: no worker was heard of lately: nobody would drive it
        Try: keyfleet server --roles worker, on a host that holds both versions
        """,
        rotate().exits(2).err());
  }

  @Test
  void timeUp_leavesItGoingOn() {
    fleet.halt();
    CommandResult said = rotate("--wait", "--timeout=5s").exits(2);
    assertEquals(
        """
        keyfleet: time is up while it is staged; it goes on
        Try: keyfleet kek watch
        """,
        said.err());
    fleet.goOn();
    rotate("--wait").exits(0);
  }

  @Test
  void laggardThatComesAfterTheOrder_endsItWithItsName() {
    fleet.halt();
    rotate().exits(0);
    fleet.start("api-2", "api", 1);
    fleet.goOn();
    CommandResult said = fleet.run("kek", "watch").exits(2);
    assertTrue(said.out().contains("staged"), said.out());
    String status = fleet.run("kek", "status").exits(0).out();
    assertTrue(status.contains("state     none, idle\n"), status);
    assertTrue(status.contains("note      not ready: api-2 has not loaded it\n"), status);
  }

  @Test
  void waiterOfADroppedRotation_hearsWhy() {
    fleet.halt();
    fleet.during(1, () -> fleet.start("api-2", "api", 1));
    fleet.during(2, fleet::goOn);
    assertEquals(
        """
        keyfleet: it came to nothing: not ready: api-2 has not loaded it
        Try: keyfleet kek verify --target=2
        """,
        rotate("--wait").exits(2).err());
  }

  @Test
  void pausedRotation_waitsForResume() {
    fleet.halt();
    rotate().exits(0);
    assertEquals("main: paused\n", fleet.run("kek", "pause").exits(0).err());
    assertEquals("main: paused already\n", fleet.run("kek", "pause").exits(0).err());
    assertTrue(
        fleet
            .run("kek", "status", "-o", "json")
            .exits(0)
            .out()
            .contains("\"state\":\"paused\",\"phase\":\"staged\""));
    fleet.goOn();
    fleet.pause(Duration.ofSeconds(1));
    assertTrue(fleet.run("kek", "resume", "-o", "json").exits(0).out().contains("in_progress"));
    fleet.run("kek", "watch").exits(0);
  }

  @Test
  void abortedRotation_isOver() {
    fleet.halt();
    rotate().exits(0);
    assertEquals("main: aborted\n", fleet.run("kek", "abort").exits(0).err());
    assertTrue(
        fleet
            .run("kek", "status", "-o", "json")
            .exits(0)
            .out()
            .contains("\"state\":\"aborted\",\"phase\":\"aborted\""));
    assertEquals(
        """
        keyfleet: cannot abort: no rotation is under way
        Try: keyfleet kek status
        """,
        fleet.run("kek", "abort").exits(2).err());
  }

  @Test
  void waiterOfAnAbortedRotation_isToldSo() {
    fleet.halt();
    fleet.during(1, () -> fleet.run("kek", "abort").exits(0));
    assertTrue(rotate("--wait").exits(2).err().startsWith("keyfleet: it was aborted\n"));
  }

  @Test
  void recordsThatNobodyCanMove_blockIt() {
    spoil("bad");
    CommandResult said = rotate("--wait").exits(2);
    assertTrue(
        said.err().startsWith("keyfleet: 1 records cannot be moved until a person mends them\n"),
        said.err());
    String status = fleet.run("kek", "status", "-o", "json").exits(0).out();
    assertTrue(status.contains("\"state\":\"in_progress\",\"phase\":\"blocked\""), status);
    assertTrue(status.contains("\"failed_records\":1,"), status);
    assertTrue(
        status.endsWith(
            "\"failures\":[{\"collection\":\"sqlite keyfleet_secrets\",\"id\":\"\","
                + "\"reason\":\"records with a field that is no envelope\"}]}\n"),
        status);
  }

  @Test
  void dryRun_findsWhatWouldFailAndChangesNothing() {
    world.collection(SECRETS).insert(stolen("db", "copy"));
    CommandResult said = rotate("--dry-run").exits(2);
    assertTrue(
        said.err().contains("dry run v1 -> v2: 2 records, 1 would fail; nothing was changed\n"),
        said.err());
    assertTrue(said.err().contains("sqlite keyfleet_secrets copy: "), said.err());
    assertTrue(fleet.run("kek", "list").exits(0).out().contains("v2       announced"));
  }

  /// A record with another's envelope: it is one, and opens nowhere but where it was sealed.
  private StoredRecord stolen(String from, String id) {
    StoredRecord record = world.collection(SECRETS).read(new RecordId(from)).orElseThrow();
    return new StoredRecord(new RecordId(id), record.fields());
  }

  @Test
  void revocation_encryptsAnewAndDisables() {
    fleet.run("kek", "revoke", "--from-version=1", "--to-version=2", "--wait").exits(0);
    assertEquals("hunter2", fleet.run("secret", "get", "db").exits(0).out());
    String list = fleet.run("kek", "list").exits(0).out();
    assertTrue(list.contains("v1       disabled, compromised  env"), list);
    assertTrue(
        fleet
            .run("kek", "remove", "--version=1", "--undo")
            .exits(2)
            .err()
            .contains("v1 was revoked"));
  }

  @Test
  void list_countsProcesses() {
    assertEquals(
        """
        VERSION  STATE      PROVIDER  LOADED  CURRENT
        v1       active     env       2/2     2/2
        v2       announced  env       2/2     0/2
        """,
        fleet.run("kek", "list").exits(0).out());
    assertEquals(
        "{\"keyring\":\"main\",\"use\":\"records\",\"epoch\":1,\"active\":1,\"processes\":2,\"versions\":[{\"version\":1,\"state\":\"active\",\"compromised\":false,\"provider\":\"env\",\"loaded\":2,\"current\":2},{\"version\":2,\"state\":\"announced\",\"compromised\":false,\"provider\":\"env\",\"loaded\":2,\"current\":0}]}\n",
        fleet.run("kek", "list", "-o", "json").exits(0).out());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1 | kek rotate --from-version=1 --to-version=1     | --from-version and --to-version are the same
          1 | kek rotate --from-version=1 --to-version=3     | v3 is not announced
          1 | kek rotate --from-version=0 --to-version=2     | --from-version=0 is not a version: a positive integer is
          2 | kek rotate --from-version=3 --to-version=2     | the active version is v1, not v3
          1 | kek rotate --from-version=1                    | missing required option: '--to-version=N'
          1 | kek rotate --from-version=1 --to-version=2 --timeout=1m | --timeout means nothing without --wait
          1 | kek revoke --from-version=1 --to-version=2 --dry-run | keyfleet kek revoke does not know --dry-run
          2 | kek pause                                      | cannot pause: no rotation is under way
          1 | kek status --keyring=pay                       | keyring pay has no key yet
          1 | kek status --store=ftp://x                     | unknown store engine: ftp
          1 | kek announce --version=9                       | this host does not hold v9 of keyring main
          1 | kek announce --version=1 --use=kms --keyring=main | keyring main is for records for good
          1 | kek announce --version=1 --use=disk            | --use=disk is neither records nor kms
          1 | kek remove --version=1 --undo --destroy        | --undo and --destroy exclude each other
          1 | kek remove --version=1 --horizon=1d            | --horizon means nothing without --destroy
          1 | kek remove --version=1 --destroy               | destroying main/v1 needs --yes
          """)
  void badInput_isOneSentence(int exit, String command, String sentence) {
    CommandResult said = fleet.run(command.split(" +")).exits(exit);
    assertTrue(said.err().startsWith("keyfleet: " + sentence + "\nTry: "), said.err());
    assertEquals("", said.out());
  }
}
