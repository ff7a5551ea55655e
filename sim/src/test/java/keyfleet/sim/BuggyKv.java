package keyfleet.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.UnaryOperator;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.VersionEntry;
import keyfleet.member.document.KeystoreDocument;
import keyfleet.store.Bucket;
import keyfleet.store.Document;
import keyfleet.store.Entry;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.Revision;
import keyfleet.store.Value;
import keyfleet.store.WriteResult;
import keyfleet.store.WriteResult.Written;
import org.jspecify.annotations.Nullable;

/// Stores with one bug each.
final class BuggyKv {
  private static final String KEYSTORES = "keystores";
  static final String PLUGINS = "known_plugins";
  private static final String HEARTBEATS = "process_heartbeats";

  private BuggyKv() {}

  /// Some values are read differently from what was written.
  record Misread(Kv inner, BiPredicate<Bucket, Key> which, UnaryOperator<Value> reading)
      implements ForwardingKv {
    @Override
    public Optional<Entry> get(Bucket bucket, Key key) {
      return inner.get(bucket, key).map(entry -> which.test(bucket, key) ? read(entry) : entry);
    }

    @Override
    public List<Entry> list(Bucket bucket, Prefix prefix) {
      return inner.list(bucket, prefix).stream()
          .map(entry -> which.test(bucket, entry.key()) ? read(entry) : entry)
          .toList();
    }

    private Entry read(Entry entry) {
      return new Entry(
          entry.key(), reading.apply(entry.value()), entry.revision(), entry.writtenAt());
    }
  }

  /// Some keys are written without comparing.
  record PutInsteadOfUpdate(Kv inner, BiPredicate<Bucket, Key> which) implements ForwardingKv {
    @Override
    public WriteResult create(Bucket bucket, Key key, Value value) {
      return which.test(bucket, key)
          ? inner.put(bucket, key, value)
          : inner.create(bucket, key, value);
    }

    @Override
    public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
      return which.test(bucket, key)
          ? inner.put(bucket, key, value)
          : inner.update(bucket, key, value, expected);
    }
  }

  /// Some updates are acknowledged but never applied.
  static final class AckBeforeWrite implements ForwardingKv {
    private static final int ODDS = 5;

    private final Kv inner;
    private final BiPredicate<Bucket, Key> which;
    private int updates;

    AckBeforeWrite(Kv inner, BiPredicate<Bucket, Key> which) {
      this.inner = inner;
      this.which = which;
    }

    @Override
    public Kv inner() {
      return inner;
    }

    @Override
    public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
      return which.test(bucket, key) && ++updates % ODDS == 0
          ? new Written(expected)
          : inner.update(bucket, key, value, expected);
    }
  }

  /// The roster is listed before the new version is staged, not after.
  static final class ListBeforeStage implements ForwardingKv {
    private final Kv inner;
    private final Map<Prefix, List<Entry>> listed = new HashMap<>();
    private @Nullable Bucket roster;

    ListBeforeStage(Kv inner) {
      this.inner = inner;
    }

    @Override
    public Kv inner() {
      return inner;
    }

    @Override
    public Optional<Entry> get(Bucket bucket, Key key) {
      Optional<Entry> entry = inner.get(bucket, key);
      Bucket known = roster;
      if (known != null
          && bucket.name().equals(KEYSTORES)
          && entry.filter(ListBeforeStage::isStaged).isEmpty()) {
        listed.replaceAll((prefix, _) -> inner.list(known, prefix));
      }
      return entry;
    }

    private static boolean isStaged(Entry entry) {
      return keystore(entry).rotation() instanceof Rotation.Staged;
    }

    @Override
    public List<Entry> list(Bucket bucket, Prefix prefix) {
      if (!bucket.name().equals(HEARTBEATS)) {
        return inner.list(bucket, prefix);
      }
      roster = bucket;
      return listed.computeIfAbsent(prefix, _ -> inner.list(bucket, prefix));
    }
  }

  /// The keystore is read before the heartbeat is written, not after.
  static final class ReadBeforeHeartbeat implements ForwardingKv {
    private final Kv inner;
    private final Map<Key, Optional<Entry>> read = new HashMap<>();

    ReadBeforeHeartbeat(Kv inner) {
      this.inner = inner;
    }

    @Override
    public Kv inner() {
      return inner;
    }

    @Override
    public WriteResult create(Bucket bucket, Key key, Value value) {
      readAgain(bucket);
      return inner.create(bucket, key, value);
    }

    @Override
    public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
      readAgain(bucket);
      return inner.update(bucket, key, value, expected);
    }

    private void readAgain(Bucket bucket) {
      if (bucket.name().equals(HEARTBEATS)) {
        read.replaceAll((known, _) -> inner.get(new Bucket.Lasting(KEYSTORES), known));
      }
    }

    @Override
    public Optional<Entry> get(Bucket bucket, Key key) {
      return bucket.name().equals(KEYSTORES)
          ? read.computeIfAbsent(key, _ -> inner.get(bucket, key))
          : inner.get(bucket, key);
    }
  }

  /// A list leaves out the entries that `wanted` rejects.
  record FilteredList(Kv inner, BiPredicate<Bucket, Entry> wanted) implements ForwardingKv {
    @Override
    public List<Entry> list(Bucket bucket, Prefix prefix) {
      return new ArrayList<>(inner.list(bucket, prefix))
          .stream().filter(entry -> wanted.test(bucket, entry)).toList();
    }
  }

  /// While a flip settles, no plugin is known: only leases are waited for, and plugins have none.
  static final class PluginsForgottenInSettling implements ForwardingKv {
    private final Kv inner;
    private boolean isSettling;

    PluginsForgottenInSettling(Kv inner) {
      this.inner = inner;
    }

    @Override
    public Kv inner() {
      return inner;
    }

    @Override
    public Optional<Entry> get(Bucket bucket, Key key) {
      Optional<Entry> entry = inner.get(bucket, key);
      if (bucket.name().equals(KEYSTORES)) {
        isSettling =
            entry.filter(it -> keystore(it).rotation() instanceof Rotation.Settling).isPresent();
      }
      return entry;
    }

    @Override
    public List<Entry> list(Bucket bucket, Prefix prefix) {
      return isSettling && bucket.name().equals(PLUGINS) ? List.of() : inner.list(bucket, prefix);
    }
  }

  /// What was attested of a version is remembered when the version is used again.
  static final class AttestationsKept implements ForwardingKv {
    private final Kv inner;
    private final Map<KekVersion, SortedSet<String>> attested = new HashMap<>();

    AttestationsKept(Kv inner) {
      this.inner = inner;
    }

    @Override
    public Kv inner() {
      return inner;
    }

    @Override
    public Optional<Entry> get(Bucket bucket, Key key) {
      return new Misread(inner, SwarmRotationBugs::isKeystore, this::read).get(bucket, key);
    }

    private Value read(Value value) {
      return SwarmRotationBugs.readAs(
          value,
          keystore -> {
            SortedMap<KekVersion, VersionEntry> versions = new TreeMap<>(keystore.versions());
            versions.replaceAll((version, known) -> {
              SortedSet<String> all = attested.computeIfAbsent(version, _ -> new TreeSet<>());
              all.addAll(known.attestedClusters());
              return new VersionEntry(
                  known.provider(), known.sentinel(), known.state(), known.trust(), all);
            });
            return SwarmRotationBugs.with(keystore, keystore.rotation(), versions);
          });
    }
  }

  /// One new value in three is acknowledged but never written.
  record UnsentPut(Kv inner, String bucketName) implements ForwardingKv {
    private static final int ODDS = 3;

    @Override
    public WriteResult put(Bucket bucket, Key key, Value value) {
      boolean isLost =
          bucket.name().equals(bucketName) && Math.floorMod(value.text().hashCode(), ODDS) == 0;
      return isLost ? new Written(new Revision(1)) : inner.put(bucket, key, value);
    }
  }

  private static Keystore keystore(Entry entry) {
    return KeystoreDocument.parse(Document.parse(entry.value()));
  }
}
