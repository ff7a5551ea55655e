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

/// This process's own heartbeat in the store. It has one writer: whoever finds another run's beat
/// under its name does not write over it while that run is fresh. For one thread.
final class HeartbeatWriter {
  sealed interface WriteResult {}

  record Acknowledged() implements WriteResult {}

  /// Another run beats under this name.
  record OwnedByOther(String run) implements WriteResult {}

  /// No clear answer, or a race was lost just now: the next beat finds out.
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

  WriteResult write(Heartbeat beat, Timings timings) {
    Bucket bucket = RosterStore.bucket(timings);
    Key key = RosterStore.key(keyring, beat.instance());
    Value value = HeartbeatDocument.toDocument(beat, nonces.get()).toValue();
    Revision known = lastWritten;
    if (known != null && send(new ConditionalWrite.Update(bucket, key, value, known))) {
      return new Acknowledged();
    }
    return writeFirst(
        new ConditionalWrite.Create(bucket, key, value), beat.process().run(), timings.fresh());
  }

  /// The first beat, or the first after our own was overwritten, expired or lost.
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

  private WriteResult attempt(ConditionalWrite conditionalWrite) {
    return send(conditionalWrite) ? new Acknowledged() : new Unacknowledged();
  }

  private boolean send(ConditionalWrite conditionalWrite) {
    lastWritten =
        conditionalWrite.sendUntilKnown(kv, MAX_ATTEMPTS)
                instanceof WriteOutcome.Applied(Revision revision)
            ? revision
            : null;
    return lastWritten != null;
  }

  /// Nobody's run has this name: what cannot be read is a stranger's.
  private static String runOf(Entry entry) {
    try {
      return Document.parse(entry.value()).text("run");
    } catch (MalformedValueException e) {
      return "";
    }
  }

  /// A graceful stop: nobody has to wait until the beat expires.
  void delete(String instance, Timings timings) {
    Revision known = lastWritten;
    lastWritten = null;
    if (known != null) {
      kv.delete(RosterStore.bucket(timings), RosterStore.key(keyring, instance), known);
    }
  }
}
