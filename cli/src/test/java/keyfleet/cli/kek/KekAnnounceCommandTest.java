package keyfleet.cli.kek;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import keyfleet.store.Bucket;
import keyfleet.store.Conflict;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Revision;
import keyfleet.store.Value;
import keyfleet.store.WriteResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// How a keyring is created and gets new versions.
class KekAnnounceCommandTest {
  private final InMemoryBackend backend = new InMemoryBackend();
  private final CliFleet fleet = new CliFleet(backend);

  @Test
  void firstVersion_isActiveAtOnce() {
    assertEquals(
        "{\"keyring\":\"main\",\"version\":1,\"state\":\"active\",\"changed\":true}\n",
        fleet.run("kek", "announce", "--version=1", "-o", "json").expectExit(0).out());
  }

  @Test
  void nextVersion_isAnnounced() {
    fleet.addKeys(2);
    fleet.announce(1);
    assertEquals(
        "main v2 is announced\n", fleet.run("kek", "announce", "--version=2").expectExit(0).err());
    assertEquals(
        "main v2 is already announced\n",
        fleet.run("kek", "announce", "--version=2").expectExit(0).err());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void versionThatAnotherHostAnnouncesMeanwhile_isAlreadyAnnounced(int version) {
    fleet.addKeys(2);
    if (version == 2) {
      fleet.announce(1);
    }
    backend.kvWrapper =
        kv ->
            new BeforeKeystoreWrite(
                kv,
                () -> {
                  backend.kvWrapper = it -> it;
                  fleet.announce(version);
                });
    fleet
        .run("kek", "announce", "--version=" + version)
        .expectExit(0)
        .expectErrorStart("main v" + version + " is already ");
    assertEquals(
        version,
        fleet
            .run("audit", "list")
            .expectExit(0)
            .out()
            .lines()
            .filter(it -> it.contains("announce v"))
            .count());
  }

  @Test
  void keystoreThatOthersKeepChanging_isExit7() {
    fleet.addKeys(2);
    fleet.announce(1);
    String before = fleet.run("kek", "list", "-o", "json").expectExit(0).out();
    backend.kvWrapper = ContendedKv::new;
    assertEquals(
        """
        keyfleet: other processes kept changing the keystore of keyring main for 10 seconds, so this command gave up
        Try: run the same command again
        """,
        fleet.run("kek", "announce", "--version=2").expectExit(7).err());
    backend.kvWrapper = kv -> kv;
    assertEquals(before, fleet.run("kek", "list", "-o", "json").expectExit(0).out());
  }

  /// Runs an event before the first write of the keystore.
  private record BeforeKeystoreWrite(Kv inner, Runnable event) implements ForwardingKv {
    @Override
    public WriteResult create(Bucket bucket, Key key, Value value) {
      runBefore(bucket);
      return inner.create(bucket, key, value);
    }

    @Override
    public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
      runBefore(bucket);
      return inner.update(bucket, key, value, expected);
    }

    private void runBefore(Bucket bucket) {
      if (bucket.name().equals("keystores")) {
        event.run();
      }
    }
  }

  /// Another process always changes the keystore first.
  private record ContendedKv(Kv inner) implements ForwardingKv {
    @Override
    public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
      return bucket.name().equals("keystores")
          ? new Conflict()
          : inner.update(bucket, key, value, expected);
    }
  }

  @Test
  void firstVersionAboveOne_isRefused() {
    fleet.addKeys(2);
    assertEquals(
        """
        keyfleet: v2 is not announced: the first version of a keyring is v1, not v2
        Try: keyfleet kek list
        """,
        fleet.run("kek", "announce", "--version=2").expectExit(2).err());
  }

  @Test
  void otherBytesUnderAKnownNumber_areRefused() {
    fleet.announce(1);
    fleet.environment.put("KEYFLEET_KEK_V1", CliFleet.key(9));
    fleet
        .run("kek", "announce", "--version=1")
        .expectExit(1)
        .expectErrorStart("keyfleet: this host has a different key for v1");
  }

  @Test
  void pluginKeyring_isNamedKms() {
    fleet.environment.put("KEYFLEET_KEK_KMS_V1", CliFleet.key(5));
    CommandResult result = fleet.run("kek", "announce", "--version=1", "--use=kms").expectExit(0);
    assertEquals("kms v1 is active\n", result.err());
    assertTrue(
        fleet
            .run("kek", "list", "--keyring=kms", "-o", "json")
            .expectExit(0)
            .out()
            .contains("\"use\":\"kms\""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          KEYFLEET_TIMING_HEARTBEAT | soon | KEYFLEET_TIMING_HEARTBEAT is 'soon'; a duration is
          KEYFLEET_TIMING_HEARTBEAT | 2h   | KEYFLEET_TIMING_… must keep 2 x _HEARTBEAT <= _FRESH
          KEYFLEET_TIMING_HARTBEAT  | 2s   | there is no setting KEYFLEET_TIMING_HARTBEAT
          """)
  void badTimings_createNoKeyring(String variable, String value, String sentence) {
    fleet.environment.put(variable, value);
    fleet
        .run("kek", "announce", "--version=1")
        .expectExit(1)
        .expectErrorStart("keyfleet: " + sentence);
    fleet.environment.remove(variable);
    fleet.run("kek", "list").expectExit(1);
  }

  @Test
  void newKeystore_startsAboveOldFences() {
    fleet.announce(1);
    fleet.runWith("x", "secret", "put", "a").expectExit(0);
    backend.dropCollection("keyfleet_secrets");
    backend.deleteKeystores();
    fleet
        .run("kek", "announce", "--version=1")
        .expectExit(1)
        .expectErrorStart("keyfleet: there is no table keyfleet_secrets\n");
  }
}
