package keyfleet.member.document;

import java.util.Optional;
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

/// The keystore of one keyring, in the store. For several threads; each has its own decision to
/// write, and the store says whose counts.
public final class KeystoreStore {
  /// A keystore as it was read, and the revision on which a change of it is compared and set.
  ///
  /// @param note what its writer said of the change, in the same write; empty if nothing
  public record StoredKeystore(Keystore keystore, Revision revision, Document auditNote) {}

  private static final Bucket BUCKET = new Bucket.Lasting("keystores");

  private static final Document NO_NOTE = Document.builder().build();

  /// Sendings of one attempt that gets no clear answer. After that its fate is open, and the next
  /// read tells.
  private static final int MAX_ATTEMPTS = 3;

  private final Kv kv;
  private final Key key;
  private final Supplier<String> nonces;

  /// Reading is frequent and change rare: what a revision says never changes.
  private volatile @Nullable StoredKeystore cached;

  public KeystoreStore(Kv kv, KeyringName keyring, Supplier<String> nonces) {
    this.kv = kv;
    this.key = new Key(keyring.value());
    this.nonces = nonces;
  }

  /// Nothing while nobody has announced a first version.
  public Optional<StoredKeystore> read() {
    return kv.get(BUCKET, key).map(this::parse);
  }

  private StoredKeystore parse(Entry entry) {
    StoredKeystore known = cached;
    if (known != null && known.revision().equals(entry.revision())) {
      return known;
    }
    Document document = Document.parse(entry.value());
    StoredKeystore storedKeystore =
        new StoredKeystore(
            KeystoreDocument.parse(document),
            entry.revision(),
            KeystoreDocument.auditNote(document));
    cached = storedKeystore;
    return storedKeystore;
  }

  /// As [#create(Keystore, Document)], with nothing for the audit.
  public WriteOutcome create(Keystore keystore) {
    return create(keystore, NO_NOTE);
  }

  /// As [#replace(Held, Keystore, Document)], with nothing for the audit.
  public WriteOutcome replace(StoredKeystore expected, Keystore next) {
    return replace(expected, next, NO_NOTE);
  }

  /// Makes the first keystore of a keyring; overtaken if there is one.
  public WriteOutcome create(Keystore keystore, Document note) {
    return new ConditionalWrite.Create(BUCKET, key, toValue(keystore, note))
        .sendUntilKnown(kv, MAX_ATTEMPTS);
  }

  public WriteOutcome replace(StoredKeystore expected, Keystore next, Document note) {
    return new ConditionalWrite.Update(BUCKET, key, toValue(next, note), expected.revision())
        .sendUntilKnown(kv, MAX_ATTEMPTS);
  }

  /// Hints that the keystore may have changed.
  public Watch watch(Runnable changed) {
    return kv.watch(
        BUCKET,
        Prefix.ALL,
        changeHint -> {
          if (!(changeHint instanceof ChangeHint.Changed(Key which)) || which.equals(key)) {
            changed.run();
          }
        });
  }

  private Value toValue(Keystore keystore, Document note) {
    return KeystoreDocument.toDocument(keystore, nonces.get(), note).toValue();
  }
}
