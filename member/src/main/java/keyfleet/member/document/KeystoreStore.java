package keyfleet.member.document;

import java.util.Comparator;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.store.Bucket;
import keyfleet.store.ChangeHint;
import keyfleet.store.ConditionalWrite;
import keyfleet.store.Document;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.Revision;
import keyfleet.store.Value;
import keyfleet.store.Watch;
import keyfleet.store.WriteOutcome;
import org.jspecify.annotations.Nullable;

/// Reads and writes the keystore of one keyring. Several threads may write; the store accepts the
/// first and the others lose the race.
public final class KeystoreStore {
  /// A keystore as it was read, with the revision that a replacement must name.
  ///
  /// @param auditNote what the writer recorded about the change in the same write; may be empty
  public record StoredKeystore(Keystore keystore, Revision revision, Document auditNote) {}

  private static final Bucket BUCKET = new Bucket.Lasting("keystores");

  private static final Document NO_NOTE = Document.builder().build();

  /// How often a write is sent until it gets a clear answer. After that its outcome is unknown
  /// until the next read.
  private static final int MAX_ATTEMPTS = 3;

  private final Kv kv;
  private final Key key;
  private final Supplier<String> nonces;

  /// The last keystore read. Reads are frequent and changes rare, and the content of a revision
  /// never changes.
  private volatile @Nullable StoredKeystore cached;

  public KeystoreStore(Kv kv, KeyringName keyring, Supplier<String> nonces) {
    this.kv = kv;
    this.key = new Key(keyring.value());
    this.nonces = nonces;
  }

  /// The keystores of all keyrings in a store, by name.
  public static SortedMap<KeyringName, StoredKeystore> list(Kv kv) {
    SortedMap<KeyringName, StoredKeystore> all =
        new TreeMap<>(Comparator.comparing(KeyringName::value));
    for (Entry entry : kv.list(BUCKET, Prefix.ALL)) {
      KeyringName name = new KeyringName(entry.key().value());
      all.put(name, toStored(entry));
    }
    return all;
  }

  private static StoredKeystore toStored(Entry entry) {
    Document document = Document.parse(entry.value());
    return new StoredKeystore(
        KeystoreDocument.parse(document), entry.revision(), KeystoreDocument.auditNote(document));
  }

  /// Returns nothing until a first version is announced.
  public Optional<StoredKeystore> read() {
    return kv.get(BUCKET, key).map(this::parse);
  }

  private StoredKeystore parse(Entry entry) {
    StoredKeystore previous = cached;
    if (previous != null && previous.revision().equals(entry.revision())) {
      return previous;
    }
    StoredKeystore storedKeystore = toStored(entry);
    cached = storedKeystore;
    return storedKeystore;
  }

  /// As [#create(Keystore, Document)], without a note for the audit.
  public WriteOutcome create(Keystore keystore) {
    return create(keystore, NO_NOTE);
  }

  /// As [#replace(StoredKeystore, Keystore, Document)], without a note for the audit.
  public WriteOutcome replace(StoredKeystore expected, Keystore next) {
    return replace(expected, next, NO_NOTE);
  }

  /// Creates the first keystore of a keyring. The outcome is `Overtaken` if there is one.
  public WriteOutcome create(Keystore keystore, Document note) {
    return new ConditionalWrite.Create(BUCKET, key, toValue(keystore, note))
        .sendUntilKnown(kv, MAX_ATTEMPTS);
  }

  public WriteOutcome replace(StoredKeystore expected, Keystore next, Document note) {
    return new ConditionalWrite.Update(BUCKET, key, toValue(next, note), expected.revision())
        .sendUntilKnown(kv, MAX_ATTEMPTS);
  }

  /// Calls `onChange` when the keystore may have changed.
  public Watch watch(Runnable onChange) {
    return kv.watch(
        BUCKET,
        Prefix.ALL,
        changeHint -> {
          if (!(changeHint instanceof ChangeHint.Changed(Key changedKey))
              || changedKey.equals(key)) {
            onChange.run();
          }
        });
  }

  private Value toValue(Keystore keystore, Document note) {
    return KeystoreDocument.toDocument(keystore, nonces.get(), note).toValue();
  }
}
