package keyfleet.cli.audit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import keyfleet.store.Bucket;
import keyfleet.store.Document;
import keyfleet.store.Entry;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What commands write to the audit, and how `audit` reads it.
class AuditCommandsTest {
  private static final Pattern ENTRY =
      Pattern.compile(
          "\"user\":\"([^\"]*)\",\"host\":\"[^\"]*\",\"instance\":\"[^\"]*\",\"what\":\"([^\"]*)\"");

  private final InMemoryBackend backend = new InMemoryBackend();
  private final CliFleet fleet = new CliFleet(backend);

  private void announceVersionsAndStartWorker() {
    fleet.addKeys(2, 3);
    fleet.announce(1, 2);
    fleet.start("worker-1", "worker", 1, 2, 3);
  }

  /// The actions of this user, oldest first.
  private List<String> auditedActions(String user) {
    String json = fleet.run("audit", "list", "--limit=200", "-o", "json").expectExit(0).out();
    return ENTRY
        .matcher(json)
        .results()
        .filter(it -> it.group(1).equals(user))
        .map((MatchResult it) -> it.group(2))
        .toList()
        .reversed();
  }

  private CommandResult rotate(String verb, int from, int to, String... more) {
    return fleet.runLine("kek " + verb + " --from-version=" + from + " --to-version=" + to, more);
  }

  @Test
  void everyCommand_isAuditedInTheOperatorsName() {
    announceVersionsAndStartWorker();
    fleet.runWith("hunter2", "secret", "put", "db").expectExit(0);
    rotate("rotate", 1, 2, "--dry-run").expectExit(0);
    fleet.haltWorkers();
    rotate("rotate", 1, 2).expectExit(0);
    fleet.run("kek", "pause").expectExit(0);
    fleet.run("kek", "resume").expectExit(0);
    fleet.run("kek", "abort").expectExit(0);
    fleet.resumeWorkers();
    fleet.run("kek", "watch");
    rotate("rotate", 1, 2, "--wait").expectExit(0);
    fleet.writeHeartbeats();
    fleet.run("kek", "remove", "--version=1", "--yes").expectExit(0);
    fleet.run("kek", "remove", "--version=1", "--undo").expectExit(0);
    fleet.run("kek", "remove", "--version=1", "--yes").expectExit(0);
    backend.advance(Duration.ofDays(31));
    fleet.writeHeartbeats();
    fleet.run("kek", "remove", "--version=1", "--destroy", "--yes").expectExit(0);
    fleet.environment.remove("KEYFLEET_KEK_V1");
    fleet.start("worker-1", "worker", 2, 3);
    fleet.run("kek", "remove", "--version=1", "--destroy", "--yes").expectExit(0);
    fleet.announce(3);
    fleet.writeHeartbeats();
    fleet.writeHeartbeats();
    rotate("revoke", 2, 3, "--wait", "--yes").expectExit(0);
    assertEquals(
        List.of(
            "announce v1",
            "announce v2",
            "put secret db",
            "rehearse v1 to v2",
            "rotate v1 to v2",
            "pause",
            "resume",
            "abort",
            "rotate v1 to v2",
            "remove v1",
            "undo the removal of v1",
            "remove v1",
            "destroy v1",
            "v1 is destroyed",
            "announce v3",
            "revoke v2 to v3"),
        auditedActions("anna"));
    assertTrue(
        auditedActions("unknown").contains("proved"),
        "the actions of the worker are in the audit too");
    assertTrue(fleet.run("audit", "verify").expectExit(0).out().matches("\\d+:[0-9a-f]{64}\n"));
  }

  @Test
  void entry_namesUserTimeAndAction() {
    fleet.environment.put("KEYFLEET_INSTANCE", "jump-host");
    announceVersionsAndStartWorker();
    assertEquals(
        """
        2  2026-11-17T22:00:00Z  anna@desk-7 (jump-host)  announce v2
            v2.provider: env
            v2.sentinel: SENTINEL
            v2.state: announced
            v2.trust: trusted
        """,
        fleet
            .run("audit", "list", "--limit=1")
            .expectExit(0)
            .out()
            .replaceAll("sentinel: [0-9a-f]{64}", "sentinel: SENTINEL"));
    CommandResult first = fleet.run("audit", "list", "--before=2", "-o", "json").expectExit(0);
    assertTrue(
        first
            .out()
            .startsWith(
                "{\"keyring\":\"main\",\"entries\":[{\"entry\":\"1\",\"number\":1,\"date\":\"2026-11-17T22:00:00Z\","
                    + "\"store_time_ms\":"),
        first.out());
    assertTrue(
        first
            .out()
            .contains(
                "\"user\":\"anna\",\"host\":\"desk-7\",\"instance\":\"jump-host\",\"what\":\"announce"
                    + " v1\""),
        first.out());
    assertTrue(
        first.out().contains("{\"name\":\"active\",\"before\":\"\",\"after\":\"v1\"}"),
        first.out());
  }

  @Test
  void pages_coverEveryEntryOnce() {
    announceVersionsAndStartWorker();
    fleet.announce(3);
    CommandResult newest = fleet.run("audit", "list", "--limit=2").expectExit(0);
    assertTrue(newest.out().startsWith("3  "), newest.out());
    assertEquals("older entries: keyfleet audit list --before=2 --limit=2\n", newest.err());
    CommandResult oldest = fleet.run("audit", "list", "--limit=2", "--before=2").expectExit(0);
    assertTrue(oldest.out().startsWith("1  "), oldest.out());
    assertEquals("", oldest.err());
    assertEquals(
        "keyfleet: there is no audit entry 999\nTry: keyfleet audit list\n",
        fleet.run("audit", "list", "--limit=2", "--before=999").expectExit(6).err());
    assertEquals("", fleet.run("audit", "list", "--before=1").expectExit(0).out());
    String json = fleet.run("audit", "list", "--limit=2", "-o", "json").expectExit(0).out();
    assertTrue(json.endsWith("\"unreadable\":[],\"next_before\":\"2\"}\n"), json);
  }

  @Test
  void filters_selectEntries() {
    announceVersionsAndStartWorker();
    fleet.runWith("hunter2", "secret", "put", "db/one").expectExit(0);
    backend.advance(Duration.ofMillis(1));
    fleet.runWith("hunter2", "secret", "put", "web").expectExit(0);
    assertEquals(List.of("put secret db/one"), list("--action=db/one"));
    assertEquals(List.of("announce v2"), list("--action=v2.trust"));
    assertEquals(List.of("put secret web", "put secret db/one"), list("--action=secret"));
    assertEquals(List.of("put secret web"), list("--action=secret", "--limit=1"));
    assertEquals(4, list("--actor=anna@desk-7").size());
    assertEquals(List.of(), list("--actor=otto"));
    assertEquals(4, list("--since=2026-11-17", "--until=2026-11-18").size());
    assertEquals(List.of(), list("--since=2026-11-17T22:00:01Z"));
    assertEquals(List.of(), list("--until=2026-11-17T22:00:00Z"));
    fleet
        .run("audit", "list", "--since=yesterday")
        .expectExit(1)
        .expectErrorPart(
            "--since=yesterday is not a date or a time in UTC, such as 2026-11-17 or"
                + " 2026-11-17T22:00:00Z\nTry: keyfleet audit list --since=2026-11-17\n");
    CommandResult page =
        fleet.run("audit", "list", "--action=put secret", "--limit=1").expectExit(0);
    assertTrue(page.err().endsWith(" --limit=1 --action='put secret'\n"), page.err());
  }

  private List<String> list(String... flags) {
    return fleet
        .runLine("audit list", flags)
        .expectExit(0)
        .out()
        .lines()
        .filter(it -> !it.startsWith(" "))
        .map(it -> it.substring(it.lastIndexOf("  ") + 2))
        .toList();
  }

  /// Another program can compute each hash from the printed fields.
  @Test
  void export_printsEveryEntryWithItsHash() throws NoSuchAlgorithmException {
    announceVersionsAndStartWorker();
    fleet.runWith("hunter2", "secret", "put", "db").expectExit(0);
    fleet.announce(3);
    List<String> lines = fleet.run("audit", "export").expectExit(0).out().lines().toList();
    List<Document> entries =
        lines.stream()
            .map(it -> Document.parse(Value.of(it)))
            .filter(it -> it.has("hash"))
            .toList();
    assertEquals(5, lines.size());
    assertEquals(4, entries.size());
    for (Document entry : entries) {
      assertEquals(entry.text("hash"), hash(entry));
    }
    Document tie = Document.parse(Value.of(lines.getFirst()));
    assertEquals(List.of(tie.text("tie")), entries.getLast().texts("ties"));
    assertEquals(
        List.of(entries.get(2).text("chain") + ":1:" + entries.get(2).text("hash")),
        tie.document("stored").texts("heads"));
    String stored = lines.getFirst().replaceFirst("^.*\"stored\":", "");
    assertEquals(
        tie.text("tie"),
        HexFormat.of()
            .formatHex(
                MessageDigest.getInstance("SHA-256")
                    .digest(stored.substring(0, stored.length() - 1).getBytes(UTF_8))));
  }

  /// As docs/reference/audit.md describes it.
  private static String hash(Document entry) throws NoSuchAlgorithmException {
    MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
    String[] keystoreHead = entry.text("keystore_head").split(":", -1);
    add(sha256, "keyfleet audit 2", entry.text("keyring"), entry.text("chain"));
    add(sha256, entry.number("number"));
    add(sha256, entry.text("previous"));
    add(sha256, Long.parseLong(keystoreHead[0]));
    add(sha256, keystoreHead[1]);
    add(sha256, entry.texts("ties").size());
    add(sha256, entry.texts("ties").toArray(String[]::new));
    add(sha256, entry.text("user"), entry.text("host"), entry.text("instance"));
    add(sha256, entry.text("what"), entry.text("rotation"));
    add(sha256, entry.number("store_time"));
    add(sha256, Instant.parse(entry.text("date")).toEpochMilli());
    add(sha256, entry.documents("changes").size());
    for (Document change : entry.documents("changes")) {
      add(sha256, change.text("name"), change.text("before"), change.text("after"));
    }
    add(sha256, entry.text("nonce"));
    return HexFormat.of().formatHex(sha256.digest());
  }

  private static void add(MessageDigest sha256, long number) {
    sha256.update(ByteBuffer.allocate(Long.BYTES).putLong(number).flip());
  }

  private static void add(MessageDigest sha256, String... texts) {
    for (String text : texts) {
      byte[] bytes = text.getBytes(UTF_8);
      add(sha256, bytes.length);
      sha256.update(bytes);
    }
  }

  @Test
  void secretsAndKeys_areInNoEntry() {
    announceVersionsAndStartWorker();
    fleet.runWith("hunter2", "secret", "put", "db").expectExit(0);
    rotate("rotate", 1, 2, "--wait").expectExit(0);
    String all =
        fleet.run("audit", "list", "-o", "json").expectExit(0).out()
            + fleet.run("audit", "list").expectExit(0).out();
    for (String secret : List.of("hunter2", CliFleet.key(1), CliFleet.key(2), "c0ffee")) {
      assertFalse(all.contains(secret), secret);
    }
  }

  @Test
  void refusedOrder_leavesNoEntry() {
    announceVersionsAndStartWorker();
    fleet.run("kek", "remove", "--version=1", "--yes").expectExit(2);
    fleet.run("kek", "abort").expectExit(2);
    assertEquals(List.of("announce v1", "announce v2"), auditedActions("anna"));
  }

  @Test
  void notedHead_findsARestoredStore() {
    announceVersionsAndStartWorker();
    String head = fleet.run("audit", "verify").expectExit(0).out().strip();
    fleet.announce(3);
    fleet.run("audit", "verify", "--noted=" + head).expectExit(0);
    String other = "2:" + "ab".repeat(32);
    CommandResult result = fleet.run("audit", "verify", "--noted", other).expectExit(2);
    assertEquals(
        """
        keyfleet: the audit is broken at entry 2: the entry is not the one that was noted
        Try: keyfleet audit list
        """,
        result.err());
    assertEquals("", result.out());
    assertEquals(
        "{\"keyring\":\"main\",\"verdict\":\"broken\",\"entry\":\"4\","
            + "\"reason\":\"the entry is missing; the chain once had 9\"}\n",
        fleet
            .run("audit", "verify", "-o", "json", "--noted", "9:" + "ab".repeat(32))
            .expectExit(2)
            .out());
  }

  @Test
  void lostKeystore_isReportedAsBroken() {
    announceVersionsAndStartWorker();
    backend.deleteKeystores();
    fleet.run("audit", "verify").expectExit(2).expectErrorPart("the keystore is missing");
    assertTrue(fleet.run("audit", "list").expectExit(0).out().startsWith("2  "));
  }

  @Test
  void unknownKeyring_isReported() {
    String message =
        """
        keyfleet: keyring pya has no key yet
        Try: keyfleet kek announce --version=1 --keyring=pya
        """;
    assertEquals(message, fleet.run("audit", "verify", "--keyring=pya").expectExit(1).err());
    assertEquals(message, fleet.run("audit", "list", "--keyring=pya").expectExit(1).err());
  }

  @Test
  void keystoreThatKeepsChanging_isUnsettled() {
    announceVersionsAndStartWorker();
    backend.kvWrapper = KeystoreRewritingKv::new;
    assertEquals(
        "{\"keyring\":\"main\",\"verdict\":\"unsettled\"}\n",
        fleet.run("audit", "verify", "-o", "json").expectExit(2).out());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "2",
        "2:abc",
        "x:y",
        "-1:0000000000000000000000000000000000000000000000000000000000000000"
      })
  void badHead_isRefused(String head) {
    fleet
        .run("audit", "verify", "--noted=" + head)
        .expectExit(1)
        .expectErrorPart(" is not an audit head; use NUMBER:HASH with 64 hex digits\n");
  }

  @ParameterizedTest
  @CsvSource({"--limit=0,1 to 1000", "--limit=1001,1 to 1000", "--limit=x,1 to 1000"})
  void badNumber_isRefused(String option, String rule) {
    fleet
        .run("audit", "list", option)
        .expectExit(1)
        .expectErrorStart("keyfleet: " + option + " is not a number from " + rule);
  }

  /// Writes the keystore again each time that the audit is listed.
  private record KeystoreRewritingKv(Kv inner) implements ForwardingKv {
    @Override
    public List<Entry> list(Bucket bucket, Prefix prefix) {
      Bucket keystores = new Bucket.Lasting("keystores");
      inner.list(keystores, Prefix.ALL).forEach(it -> inner.put(keystores, it.key(), it.value()));
      return inner.list(bucket, prefix);
    }
  }
}
