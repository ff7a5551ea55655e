package keyfleet.cli.secret;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.SecretBytes;
import keyfleet.store.Conflict;
import keyfleet.store.DeleteResult;
import keyfleet.store.ForwardingRecords;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.Records;
import keyfleet.store.StoredRecord;
import keyfleet.store.Unknown;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The `secret` commands, also with concurrent writers.
class SecretCommandsTest {
  private final InMemoryBackend backend = new InMemoryBackend();
  private final CliFleet fleet = new CliFleet(backend);

  @BeforeEach
  void announceVersion() {
    fleet.announce(1);
  }

  private CommandResult put(String name, String value) {
    return fleet.runWith(value, "secret", "put", name);
  }

  @Test
  void value_comesBackByteForByte() {
    String value = "two\nlines\u0000, ünd a line feed\n";
    put("a/b.c", value).expectExit(0);
    assertEquals(value, fleet.run("secret", "get", "a/b.c").expectExit(0).out());
  }

  @Test
  void secondValue_replacesTheFirst() {
    assertEquals("stored a, sealed under v1\n", put("a", "one").expectExit(0).err());
    assertEquals("replaced a, sealed under v1\n", put("a", "two").expectExit(0).err());
    assertEquals("two", fleet.run("secret", "get", "a").expectExit(0).out());
  }

  @Test
  void absentSecret_isNotFound() {
    CommandResult result = fleet.run("secret", "get", "a").expectExit(6);
    assertEquals("keyfleet: there is no secret a\nTry: keyfleet secret list\n", result.err());
    put("b", "x").expectExit(0);
    fleet.run("secret", "get", "a").expectExit(6);
    fleet.run("secret", "delete", "a").expectExit(6);
  }

  @Test
  void deletedSecret_isGone() {
    put("a", "x").expectExit(0);
    assertEquals("deleted a\n", fleet.run("secret", "delete", "a").expectExit(0).err());
    fleet.run("secret", "get", "a").expectExit(6);
  }

  @Test
  void manySecrets_areAllListed() {
    assertEquals("NAME  VERSION\n", fleet.run("secret", "list").expectExit(0).out());
    for (int i = 0; i < 40; i++) {
      put("s" + i, "x").expectExit(0);
    }
    assertEquals(41, fleet.run("secret", "list").expectExit(0).out().lines().count());
  }

  @Test
  void json_isOneObject() {
    assertEquals(
        "{\"name\":\"a\",\"kek_version\":1,\"created\":true}\n",
        fleet.runWith("hi", "secret", "put", "a", "-o", "json").expectExit(0).out());
    assertEquals(
        "{\"name\":\"a\",\"kek_version\":1,\"value\":\"aGk=\"}\n",
        fleet.run("secret", "get", "a", "-o", "json").expectExit(0).out());
    assertTrue(
        fleet
            .run("secret", "list", "-o", "json")
            .expectExit(0)
            .out()
            .matches(
                "\\{\"secrets\":\\[\\{\"name\":\"a\",\"kek_version\":1,\"digest\":\"[0-9a-f]{64}\"}],\"unreadable\":0}\n"),
        "the list");
    assertEquals(
        "{\"name\":\"a\",\"deleted\":true}\n",
        fleet.run("secret", "delete", "a", "-o", "json").expectExit(0).out());
  }

  @ParameterizedTest
  @ValueSource(strings = {"-a", ".a", "a b", "ä", "a\u001b[2J"})
  void badName_isRefused(String name) {
    CommandResult result = fleet.run("secret", "get", "--", name).expectExit(1);
    assertTrue(result.err().contains(" is not a secret name; "), result.err());
    assertFalse(result.err().contains("\u001b"));
  }

  @Test
  void noValue_isRefused() {
    put("a", "").expectExit(1).expectErrorStart("keyfleet: standard input holds no value\n");
  }

  /// Standard input is not read then.
  @Test
  void typedValue_isAskedFor() {
    fleet.hiddenInput =
        question -> {
          assertEquals("Value of a (not shown):", question);
          return Optional.of(SecretBytes.copyOf("typed".getBytes(UTF_8)));
        };
    assertEquals("stored a, sealed under v1\n", put("a", "piped").expectExit(0).err());
    assertEquals("typed", fleet.run("secret", "get", "a").expectExit(0).out());
    fleet.hiddenInput = _ -> Optional.of(SecretBytes.copyOf(new byte[0]));
    put("b", "piped").expectExit(1).expectErrorStart("keyfleet: no value was typed\n");
    fleet.run("secret", "get", "b").expectExit(6);
  }

  @Test
  void largestValue_fits() {
    put("a", "x".repeat(Envelope.MAX_PLAINTEXT)).expectExit(0);
    put("b", "x".repeat(Envelope.MAX_PLAINTEXT + 1))
        .expectExit(1)
        .expectErrorStart("keyfleet: a value may have at most 8388608 bytes\n");
  }

  @Test
  void keyringWithoutAKey_isReported() {
    CommandResult result = fleet.runWith("x", "secret", "put", "a", "--keyring=pay").expectExit(1);
    assertEquals(
        """
        keyfleet: keyring pay has no key yet
        Try: keyfleet kek announce --version=1 --keyring=pay
        """,
        result.err());
  }

  @Test
  void collectionOfAnotherKeyring_isRefused() {
    put("a", "x").expectExit(0);
    fleet.environment.put("KEYFLEET_KEK_PAY_V1", CliFleet.key(5));
    fleet.run("kek", "announce", "--version=1", "--keyring=pay").expectExit(0);
    CommandResult result = fleet.runWith("x", "secret", "put", "a", "--keyring=pay").expectExit(1);
    assertEquals(
        "keyfleet: collection keyfleet_secrets belongs to keyring main\nTry: keyfleet secret put a --keyring=main\n",
        result.err());
  }

  @Test
  void pluginKeyring_sealsNoSecrets() {
    fleet.environment.put("KEYFLEET_KEK_KMS_V1", CliFleet.key(5));
    assertEquals(
        "kms v1 is active\n",
        fleet.run("kek", "announce", "--version=1", "--use=kms").expectExit(0).err());
    CommandResult result = fleet.runWith("x", "secret", "put", "a", "--keyring=kms").expectExit(1);
    assertTrue(result.err().startsWith("keyfleet: keyring kms is for KMS plugins"), result.err());
  }

  @Test
  void hostWithoutTheKey_sealsNothing() {
    put("a", "x").expectExit(0);
    fleet.environment.remove("KEYFLEET_KEK_V1");
    put("b", "x")
        .expectExit(1)
        .expectErrorStart("keyfleet: this host may not seal: it lacks the keys [v1]");
    fleet
        .run("secret", "get", "a")
        .expectExit(1)
        .expectErrorStart("keyfleet: a is sealed under v1, which this host does not hold\n");
    fleet.run("secret", "list").expectExit(0);
    fleet.run("secret", "delete", "a").expectExit(0);
  }

  @Test
  void swappedRecord_doesNotOpen() {
    put("a", "x").expectExit(0);
    StoredRecord a = backend.collection("keyfleet_secrets").read(new RecordId("a")).orElseThrow();
    backend.collection("keyfleet_secrets").insert(new StoredRecord(new RecordId("b"), a.fields()));
    fleet.run("secret", "get", "b").expectExit(1).expectErrorStart("keyfleet: b cannot be opened");
  }

  @Test
  void rotationBetweenSealAndWrite_sealsAgain() {
    fleet.addKeys(2);
    fleet.announce(2);
    fleet.start("worker-1", "worker", 1, 2);
    put("a", "x").expectExit(0);
    Runnable rotation =
        () ->
            fleet
                .run("kek", "rotate", "--from-version=1", "--to-version=2", "--wait")
                .expectExit(0);
    backend.recordsWrapper = beforeFirstWrite(rotation);
    assertEquals("stored b, sealed under v2\n", put("b", "y").expectExit(0).err());
  }

  @Test
  void lostRace_isWonAtTheNextAttempt() {
    put("a", "x").expectExit(0);
    backend.recordsWrapper = beforeFirstWrite(() -> put("a", "theirs").expectExit(0));
    assertEquals("replaced a, sealed under v1\n", put("a", "mine").expectExit(0).err());
    assertEquals("mine", fleet.run("secret", "get", "a").expectExit(0).out());
  }

  /// Runs an event before the next write only.
  private static UnaryOperator<Records> beforeFirstWrite(Runnable event) {
    AtomicInteger times = new AtomicInteger();
    return inner ->
        new ScriptedRecords(
            inner,
            () -> {
              if (times.incrementAndGet() == 1) {
                event.run();
              }
              return null;
            });
  }

  /// Seen before: `Try: keyfleet kek verify --local`, which finds nothing wrong.
  @Test
  void wrongBytesLoaded_areFoundByTheCommandThatIsNamed() {
    put("a", "x").expectExit(0);
    fleet.environment.put("KEYFLEET_KEK_V1", CliFleet.key(9));
    fleet
        .run("secret", "get", "a")
        .expectExit(1)
        .expectErrorPart(
            "Try: set KEYFLEET_KEK_V1 to the fleet's bytes, and run the same command again\n");
    fleet.run("kek", "verify", "--local").expectExit(0);
    fleet
        .run("kek", "verify", "--target=1")
        .expectExit(1)
        .expectErrorPart("this host has a different key for v1");
  }

  private CommandResult importLines(String... lines) {
    return fleet.runWith(String.join("\n", lines), "secret", "import");
  }

  @Test
  void import_storesEachLine() {
    put("b", "old").expectExit(0);
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      lines.add("{\"name\":\"n%d\",\"value\":\"%d\\u00e9\\n\"}".formatted(i, i));
    }
    lines.add("{\"value\":\"new\",\"name\":\"b\"}");
    CommandResult result = importLines(lines.toArray(String[]::new)).expectExit(0);
    assertEquals("101 stored, 0 failed\n", result.err());
    assertEquals(101, result.out().lines().count());
    assertEquals("99é\n", fleet.run("secret", "get", "n99").expectExit(0).out());
    assertEquals("new", fleet.run("secret", "get", "b").expectExit(0).out());
    fleet.run("audit", "verify").expectExit(0);
  }

  @Test
  void importOfBadLines_namesThemAndStoresTheOthers() {
    CommandResult result =
        importLines(
                "{\"name\":\"a\",\"value\":\"hunter2\"}",
                "",
                "hunter2",
                "{\"name\":\"a b\",\"value\":\"hunter2\"}",
                "{\"name\":\"c\"}",
                "{\"value\":\"hunter2\"}",
                "{\"name\":\"d\",\"value\":\"\"}",
                "{\"name\":\"e\",\"value\":\"hunter2\",\"hunter2\":\"x\"}",
                "{\"name\":\"f\",\"value\":7}",
                "{\"name\":\"g\",\"value\":\"hunter2",
                "{\"name\":\"h\",\"value\":\"hunter2\"} x",
                "{\"name\":\"a\",\"value\":\"last\"}")
            .expectExit(1);
    assertEquals("a\na\n", result.out());
    assertEquals(
        """
        line 3 failed: it is not JSON
        line 4 failed: its name is not a secret name; use letters, digits and . _ / -, at \
        most 200 characters, a letter or digit first
        line 5 failed: it has no value
        line 6 failed: it has no name
        line 7 failed: its value is empty
        line 8 failed: it has other fields than one name and one value
        line 9 failed: a field is not a string
        line 10 failed: it is not JSON
        line 11 failed: it is not JSON
        2 stored, 9 failed
        """,
        result.err());
    assertEquals("last", fleet.run("secret", "get", "a").expectExit(0).out());
    assertTrue(fleet.run("secret", "list").out().lines().toList().getLast().startsWith("a "));
  }

  @Test
  void importAsJson_listsWrittenAndFailedLines() {
    assertEquals(
        "{\"written\":[{\"line\":1,\"name\":\"a\",\"kek_version\":1,\"created\":true}],"
            + "\"failed\":[{\"line\":2,\"reason\":\"it is not JSON\"}]}\n",
        fleet
            .runWith("{\"name\":\"a\",\"value\":\"x\"}\n}\n", "secret", "import", "-o", "json")
            .expectExit(1)
            .out());
  }

  /// Seen before: exit 1, "may or may not be stored", although it was.
  @Test
  void putThatWasRewrappedBeforeItsReadBack_isRecognised() {
    fleet.addKeys(2);
    fleet.announce(2);
    fleet.start("worker-1", "worker", 1, 2);
    backend.recordsWrapper =
        inner ->
            new ForwardingRecords() {
              @Override
              public Records inner() {
                return inner;
              }

              @Override
              public RecordWriteResult insert(StoredRecord added) {
                assertEquals(new RecordWriteResult.Stored(), inner.insert(added));
                fleet
                    .run("kek", "rotate", "--from-version=1", "--to-version=2", "--wait")
                    .expectExit(0);
                return new Unknown();
              }
            };
    put("a", "x").expectExit(0);
    assertEquals("x", fleet.run("secret", "get", "a").expectExit(0).out());
  }

  @Test
  void endlessRace_isAConflict() {
    AtomicInteger tries = new AtomicInteger();
    backend.recordsWrapper =
        inner ->
            new ScriptedRecords(
                inner,
                () -> {
                  tries.incrementAndGet();
                  return new Conflict();
                });
    assertEquals(
        "keyfleet: other writers kept changing a for 10 seconds\nTry: run the same command again, with the same input\n",
        put("a", "x").expectExit(7).err());
    assertTrue(tries.get() > 5, tries::toString);
  }

  @Test
  void unansweredWrite_isReportedAsUncertain() {
    backend.recordsWrapper = inner -> new ScriptedRecords(inner, Unknown::new);
    CommandResult result = put("a", "x").expectExit(1);
    assertEquals(
        """
        keyfleet: the store did not answer in time: a may or may not be stored
        Try: run the same command again, with the same input
        """,
        result.err());
  }

  @Test
  void lostReply_isResolvedByReading() {
    backend.recordsWrapper = UnansweredRecords::new;
    put("a", "x").expectExit(0);
    fleet.run("secret", "delete", "a").expectExit(0);
    fleet.run("secret", "get", "a").expectExit(6);
  }

  @Test
  void nats_keepsNoRecords() {
    fleet.environment.put("KEYFLEET_STORE", "nats://h");
    CommandResult result = put("a", "x").expectExit(1);
    assertEquals(
        "keyfleet: NATS stores no records\nTry: use --records postgresql://HOST/DATABASE\n",
        result.err());
    fleet.environment.put("KEYFLEET_RECORDS", "postgresql://h/d");
    put("a", "x").expectExit(0);
    fleet.environment.put("KEYFLEET_RECORDS", "mongodb://h/d");
    fleet
        .run("secret", "get", "a")
        .expectExit(1)
        .expectErrorStart("keyfleet: the secrets of keyring main are kept in postgresql\n");
  }

  /// Returns scripted results for writes; null passes the write on.
  private record ScriptedRecords(
      Records inner, Supplier<? extends @Nullable RecordWriteResult> answer)
      implements ForwardingRecords {
    @Override
    public RecordWriteResult insert(StoredRecord added) {
      RecordWriteResult write = answer.get();
      return write == null ? inner.insert(added) : write;
    }

    @Override
    public RecordWriteResult compareAndSet(RecordChange recordChange) {
      RecordWriteResult write = answer.get();
      return write == null ? inner.compareAndSet(recordChange) : write;
    }
  }

  /// Executes each write but loses its answer.
  private record UnansweredRecords(Records inner) implements ForwardingRecords {
    @Override
    public RecordWriteResult insert(StoredRecord added) {
      inner.insert(added);
      return new Unknown();
    }

    @Override
    public DeleteResult delete(StoredRecord expected) {
      inner.delete(expected);
      return new Unknown();
    }
  }
}
