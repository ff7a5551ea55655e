package keyfleet.cli.secret;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import keyfleet.crypto.Envelope;
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

/// The built-in secrets, and what becomes of a command that is not alone.
class SecretCommandsTest {
  private final InMemoryBackend world = new InMemoryBackend();
  private final CliFleet fleet = new CliFleet(world);

  @BeforeEach
  void begin() {
    fleet.run("kek", "announce", "--version=1").exits(0);
  }

  private CommandResult put(String name, String value) {
    return fleet.runWith(value, "secret", "put", name);
  }

  @Test
  void value_comesBackByteForByte() {
    String value = "two\nlines\u0000, ünd a line feed\n";
    put("a/b.c", value).exits(0);
    assertEquals(value, fleet.run("secret", "get", "a/b.c").exits(0).out());
  }

  @Test
  void secondValue_replacesTheFirst() {
    assertEquals("kept a, under v1\n", put("a", "one").exits(0).err());
    assertEquals("replaced a, under v1\n", put("a", "two").exits(0).err());
    assertEquals("two", fleet.run("secret", "get", "a").exits(0).out());
  }

  @Test
  void absentSecret_isNotFound() {
    CommandResult said = fleet.run("secret", "get", "a").exits(6);
    assertEquals("keyfleet: there is no secret a\nTry: keyfleet secret list\n", said.err());
    put("b", "x").exits(0);
    fleet.run("secret", "get", "a").exits(6);
    fleet.run("secret", "delete", "a").exits(6);
  }

  @Test
  void deletedSecret_isGone() {
    put("a", "x").exits(0);
    assertEquals("deleted a\n", fleet.run("secret", "delete", "a").exits(0).err());
    fleet.run("secret", "get", "a").exits(6);
  }

  @Test
  void manySecrets_areAllListed() {
    assertEquals("NAME  VERSION\n", fleet.run("secret", "list").exits(0).out());
    for (int i = 0; i < 40; i++) {
      put("s" + i, "x").exits(0);
    }
    assertEquals(41, fleet.run("secret", "list").exits(0).out().lines().count());
  }

  @Test
  void programs_getObjects() {
    assertEquals(
        "{\"name\":\"a\",\"kek_version\":1,\"created\":true}\n",
        fleet.runWith("hi", "secret", "put", "a", "-o", "json").exits(0).out());
    assertEquals(
        "{\"name\":\"a\",\"kek_version\":1,\"value\":\"aGk=\"}\n",
        fleet.run("secret", "get", "a", "-o", "json").exits(0).out());
    assertTrue(
        fleet
            .run("secret", "list", "-o", "json")
            .exits(0)
            .out()
            .matches(
                "\\{\"secrets\":\\[\\{\"name\":\"a\",\"kek_version\":1,\"digest\":\"[0-9a-f]{64}\"}],\"unreadable\":0}\n"),
        "the list");
    assertEquals(
        "{\"name\":\"a\",\"deleted\":true}\n",
        fleet.run("secret", "delete", "a", "-o", "json").exits(0).out());
  }

  @ParameterizedTest
  @ValueSource(strings = {"-a", ".a", "a b", "ä", "a\u001b[2J"})
  void badName_isRefused(String name) {
    CommandResult said = fleet.run("secret", "get", "--", name).exits(1);
    assertTrue(said.err().contains(" is not a secret's name: "), said.err());
    assertFalse(said.err().contains("\u001b"));
  }

  @Test
  void noValue_isRefused() {
    assertTrue(put("a", "").exits(1).err().startsWith("keyfleet: standard input holds no value\n"));
  }

  @Test
  void largestValue_fits() {
    put("a", "x".repeat(Envelope.MAX_PLAINTEXT)).exits(0);
    assertTrue(
        put("b", "x".repeat(Envelope.MAX_PLAINTEXT + 1))
            .exits(1)
            .err()
            .startsWith("keyfleet: a value has at most 8388608 bytes\n"));
  }

  @Test
  void keyringWithoutAKey_isTold() {
    CommandResult said = fleet.runWith("x", "secret", "put", "a", "--keyring=pay").exits(1);
    assertEquals(
        "keyfleet: keyring pay has no key yet\nTry: keyfleet kek announce --version=1\n",
        said.err());
  }

  @Test
  void otherKeyring_findsTheCollectionTaken() {
    put("a", "x").exits(0);
    fleet.environment.put("KEYFLEET_KEK_PAY_V1", CliFleet.key(5));
    fleet.run("kek", "announce", "--version=1", "--keyring=pay").exits(0);
    CommandResult said = fleet.runWith("x", "secret", "put", "a", "--keyring=pay").exits(1);
    assertEquals(
        "keyfleet: keyfleet_secrets belongs to keyring main\nTry: --keyring=main\n", said.err());
  }

  @Test
  void pluginsKeyring_sealsNoSecrets() {
    fleet.environment.put("KEYFLEET_KEK_KMS_V1", CliFleet.key(5));
    assertEquals(
        "kms v1 is active\n",
        fleet.run("kek", "announce", "--version=1", "--use=kms").exits(0).err());
    CommandResult said = fleet.runWith("x", "secret", "put", "a", "--keyring=kms").exits(1);
    assertTrue(said.err().startsWith("keyfleet: keyring kms is a plugin's"), said.err());
  }

  @Test
  void hostWithoutTheKey_sealsNothing() {
    put("a", "x").exits(0);
    fleet.environment.remove("KEYFLEET_KEK_V1");
    CommandResult said = put("b", "x").exits(1);
    assertTrue(
        said.err().startsWith("keyfleet: this host may not seal: it has not the bytes of [v1]"),
        said.err());
    assertTrue(
        fleet
            .run("secret", "get", "a")
            .exits(1)
            .err()
            .startsWith("keyfleet: a is sealed under v1, which this host does not hold\n"));
    fleet.run("secret", "list").exits(0);
    fleet.run("secret", "delete", "a").exits(0);
  }

  @Test
  void swappedRecord_doesNotOpen() {
    put("a", "x").exits(0);
    StoredRecord a = world.collection("keyfleet_secrets").read(new RecordId("a")).orElseThrow();
    world.collection("keyfleet_secrets").insert(new StoredRecord(new RecordId("b"), a.fields()));
    assertTrue(
        fleet.run("secret", "get", "b").exits(1).err().startsWith("keyfleet: b does not open"));
  }

  @Test
  void rotationBetweenSealAndWrite_isSealedAnew() {
    fleet.give(2);
    fleet.run("kek", "announce", "--version=2").exits(0);
    fleet.start("worker-1", "worker", 1, 2);
    put("a", "x").exits(0);
    Runnable rotation =
        () -> fleet.run("kek", "rotate", "--from-version=1", "--to-version=2", "--wait").exits(0);
    world.records = once(rotation);
    assertEquals("kept b, under v2\n", put("b", "y").exits(0).err());
  }

  @Test
  void lostRace_isWonAtTheNextTry() {
    put("a", "x").exits(0);
    world.records = once(() -> put("a", "theirs").exits(0));
    assertEquals("replaced a, under v1\n", put("a", "mine").exits(0).err());
    assertEquals("mine", fleet.run("secret", "get", "a").exits(0).out());
  }

  /// Does something before the next write, and then no more.
  private static UnaryOperator<Records> once(Runnable event) {
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

  @Test
  void endlessRace_isAConflict() {
    AtomicInteger tries = new AtomicInteger();
    world.records =
        inner ->
            new ScriptedRecords(
                inner,
                () -> {
                  tries.incrementAndGet();
                  return new Conflict();
                });
    assertEquals(
        "keyfleet: others keep changing a\nTry: keyfleet secret put a, again\n",
        put("a", "x").exits(7).err());
    assertEquals(5, tries.get());
  }

  @Test
  void noAnswer_isSaidToBeOpen() {
    world.records = inner -> new ScriptedRecords(inner, Unknown::new);
    CommandResult said = put("a", "x").exits(1);
    assertEquals(
        """
        keyfleet: the store did not answer in time: a may be kept, or may yet be
        Try: keyfleet secret put a, again
        """,
        said.err());
  }

  @Test
  void lostAnswer_isFoundOut() {
    world.records = UnansweredRecords::new;
    put("a", "x").exits(0);
    fleet.run("secret", "delete", "a").exits(0);
    fleet.run("secret", "get", "a").exits(6);
  }

  @Test
  void nats_keepsNoRecords() {
    fleet.environment.put("KEYFLEET_STORE", "nats://h");
    CommandResult said = put("a", "x").exits(1);
    assertEquals(
        "keyfleet: NATS keeps no records\nTry: --records postgresql://HOST/DATABASE\n", said.err());
    fleet.environment.put("KEYFLEET_RECORDS", "postgresql://h/d");
    put("a", "x").exits(0);
    fleet.environment.put("KEYFLEET_RECORDS", "mongodb://h/d");
    assertTrue(
        fleet
            .run("secret", "get", "a")
            .exits(1)
            .err()
            .startsWith("keyfleet: the secrets of keyring main are kept in postgresql\n"));
  }

  /// Answers writes by itself; null lets them pass.
  private record ScriptedRecords(
      Records inner, Supplier<? extends @Nullable RecordWriteResult> answer)
      implements ForwardingRecords {
    @Override
    public RecordWriteResult insert(StoredRecord added) {
      RecordWriteResult given = answer.get();
      return given == null ? inner.insert(added) : given;
    }

    @Override
    public RecordWriteResult compareAndSet(RecordChange recordChange) {
      RecordWriteResult given = answer.get();
      return given == null ? inner.compareAndSet(recordChange) : given;
    }
  }

  /// Does what it is told and says nothing.
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
