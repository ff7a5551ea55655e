package keyfleet.cli.secret;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import keyfleet.store.Bucket;
import keyfleet.store.Conflict;
import keyfleet.store.ForwardingKv;
import keyfleet.store.ForwardingRecords;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.Records;
import keyfleet.store.Revision;
import keyfleet.store.StoreException;
import keyfleet.store.StoredRecord;
import keyfleet.store.Value;
import keyfleet.store.WriteResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What is done to secrets is in the audit before it is done.
class SecretCommandAuditTest {
  private static final Pattern INTENT =
      Pattern.compile(
          "\"what\":\"(\\w+ secret [^\"]+)\"[^]]*?\"before\":\"(\\w*)\",\"after\":\"(\\w*)\"");
  private static final Pattern DIGEST = Pattern.compile("\"digest\":\"(\\w+)\"");

  private record AuditedChange(String what, String before, String after) {}

  private final InMemoryBackend world = new InMemoryBackend();
  private final CliFleet fleet = new CliFleet(world);

  @BeforeEach
  void begin() {
    fleet.give(2);
    fleet.run("kek", "announce", "--version=1").exits(0);
  }

  private CommandResult put(String name, String value) {
    return fleet.runWith(value, "secret", "put", name);
  }

  /// Oldest first.
  private List<AuditedChange> intents() {
    String json = fleet.run("audit", "list", "--limit=200", "-o", "json").exits(0).out();
    return INTENT
        .matcher(json)
        .results()
        .map((MatchResult it) -> new AuditedChange(it.group(1), it.group(2), it.group(3)))
        .toList()
        .reversed();
  }

  private String digest() {
    String json = fleet.run("secret", "list", "-o", "json").exits(0).out();
    return DIGEST.matcher(json).results().map(it -> it.group(1)).findFirst().orElse("");
  }

  @Test
  void everyChange_leadsFromOneDigestToTheNext() {
    put("a", "one").exits(0);
    String one = digest();
    put("a", "two").exits(0);
    String two = digest();
    fleet.run("secret", "delete", "a").exits(0);
    assertEquals(
        List.of(
            new AuditedChange("put secret a", "", one),
            new AuditedChange("put secret a", one, two),
            new AuditedChange("delete secret a", two, "")),
        intents());
    fleet.run("audit", "verify").exits(0);
  }

  @Test
  void rotation_keepsTheDigest() {
    put("a", "one").exits(0);
    String before = digest();
    fleet.run("kek", "announce", "--version=2").exits(0);
    fleet.start("worker-1", "worker", 1, 2);
    fleet.run("kek", "rotate", "--from-version=1", "--to-version=2", "--wait").exits(0);
    assertTrue(fleet.run("secret", "list").exits(0).out().contains("v2"), "it was moved");
    assertEquals(before, digest());
    fleet.run("audit", "verify").exits(0);
  }

  @Test
  void readers_leaveNoEntry() {
    put("a", "one").exits(0);
    fleet.run("secret", "get", "a").exits(0);
    fleet.run("secret", "delete", "b").exits(6);
    assertEquals(1, intents().size());
  }

  /// Each try had its own envelope.
  @Test
  void lostRace_hasAnEntryForEachTry() {
    world.records = ConflictingRecords::new;
    put("a", "x").exits(7);
    assertEquals(5, intents().size());
    assertEquals(5, intents().stream().map(AuditedChange::after).distinct().count());
  }

  @Test
  void withoutAnEntry_nothingIsDone() {
    put("a", "one").exits(0);
    String before = digest();
    world.kvs = ReadOnlyKv::new;
    assertEquals(1, put("a", "two").exits(1).exit());
    fleet.run("secret", "delete", "a").exits(1);
    world.kvs = kv -> kv;
    assertEquals(before, digest());
    assertEquals("one", fleet.run("secret", "get", "a").exits(0).out());
  }

  /// Others are always faster.
  private record ConflictingRecords(Records inner) implements ForwardingRecords {
    @Override
    public RecordWriteResult insert(StoredRecord added) {
      return new Conflict();
    }

    @Override
    public RecordWriteResult compareAndSet(RecordChange recordChange) {
      return new Conflict();
    }
  }

  /// Takes no new word.
  private record ReadOnlyKv(Kv inner) implements ForwardingKv {
    @Override
    public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
      throw new StoreException("it is read-only");
    }
  }
}
