package keyfleet.member.heartbeat;

import java.time.Duration;
import java.util.function.Supplier;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Timings;
import keyfleet.member.document.HeartbeatDocument;
import keyfleet.member.document.RosterStore;
import keyfleet.store.Bucket;
import keyfleet.store.ConditionalWrite;
import keyfleet.store.Document;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Revision;
import keyfleet.store.Value;
import keyfleet.store.WriteOutcome;
import org.jspecify.annotations.Nullable;

/// Writes and deletes this process's heartbeat. A process that finds the fresh heartbeat of another
/// run under its name does not overwrite it. For one thread.
final class HeartbeatWriter {
  sealed interface WriteResult {}

  record Acknowledged() implements WriteResult {}

  /// Another run writes heartbeats under this name.
  record OwnedByOther(String run) implements WriteResult {}

  /// The store gave no clear answer, or another write won a race. The next heartbeat finds out.
  record Unacknowledged() implements WriteResult {}

  private static final int MAX_ATTEMPTS = 2;

  private final Kv kv;
  private final KeyringName keyring;
  private final Supplier<String> nonces;
  private @Nullable Revision lastWritten;

  HeartbeatWriter(Kv kv, KeyringName keyring, Supplier<String> nonces) {
    this.kv = kv;
    this.keyring = keyring;
    this.nonces = nonces;
  }

  WriteResult write(Heartbeat heartbeat, Timings timings) {
    Bucket bucket = RosterStore.bucket(timings);
    Key key = RosterStore.key(keyring, heartbeat.instance());
    Value value = HeartbeatDocument.toDocument(heartbeat, nonces.get()).toValue();
    Revision expected = lastWritten;
    if (expected != null && send(new ConditionalWrite.Update(bucket, key, value, expected))) {
      return new Acknowledged();
    }
    return writeFirst(
        new ConditionalWrite.Create(bucket, key, value),
        heartbeat.process().run(),
        timings.fresh());
  }

  /// Writes the first heartbeat, or the first after this run's own was overwritten, expired or
  /// lost.
  private WriteResult writeFirst(ConditionalWrite.Create create, String run, Duration fresh) {
    Entry found = kv.get(create.bucket(), create.key()).orElse(null);
    if (found == null) {
      return attempt(create);
    }
    String otherRun = runOf(found);
    boolean isFresh = kv.storeTime().since(found.writtenAt()).compareTo(fresh) <= 0;
    return !otherRun.equals(run) && isFresh
        ? new OwnedByOther(otherRun)
        : attempt(
            new ConditionalWrite.Update(
                create.bucket(), create.key(), create.value(), found.revision()));
  }

  private WriteResult attempt(ConditionalWrite write) {
    return send(write) ? new Acknowledged() : new Unacknowledged();
  }

  private boolean send(ConditionalWrite write) {
    lastWritten =
        write.sendUntilKnown(kv, MAX_ATTEMPTS) instanceof WriteOutcome.Applied(Revision revision)
            ? revision
            : null;
    return lastWritten != null;
  }

  /// Returns a name that no run has if the entry cannot be read: the entry then belongs to another
  /// run.
  private static String runOf(Entry entry) {
    try {
      return Document.parse(entry.value()).text("run");
    } catch (MalformedValueException e) {
      return "";
    }
  }

  /// Deletes the heartbeat at a graceful stop, so that no gate waits for it to expire.
  void delete(String instance, Timings timings) {
    Revision expected = lastWritten;
    lastWritten = null;
    if (expected != null) {
      kv.delete(RosterStore.bucket(timings), RosterStore.key(keyring, instance), expected);
    }
  }
}
