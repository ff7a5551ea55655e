package keyfleet.member.document;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.store.Bucket;
import keyfleet.store.ConditionalWrite;
import keyfleet.store.Document;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.Revision;
import keyfleet.store.StoreException;
import keyfleet.store.WriteOutcome;

/// The collections whose records carry envelopes, of all keyrings. An entry is made once and stays:
/// a rotation that did not know of a collection would leave its records behind.
public final class CollectionRegistry {
  /// What registering came to.
  public sealed interface Outcome {}

  public record Registered() implements Outcome {}

  /// The collection is registered otherwise: for another keyring, or with other fields.
  public record RegisteredDifferently(CollectionRegistration held) implements Outcome {}

  private static final Bucket BUCKET = new Bucket.Lasting("collections");
  private static final int TRIES = 3;

  private record CachedRegistration(
      Revision revision, CollectionRegistration collectionRegistration) {}

  private final Kv kv;
  private final Supplier<String> nonces;

  /// A driver asks at every step, and hardly ever is there a new one. Replaced as a whole.
  private volatile Map<Key, CachedRegistration> last = Map.of();

  public CollectionRegistry(Kv kv, Supplier<String> nonces) {
    this.kv = kv;
    this.nonces = nonces;
  }

  /// Registered on return, or not at all: a [StoreException] leaves it open, and asking again is
  /// harmless.
  public Outcome register(CollectionRegistration collectionRegistration) {
    Key key = key(collectionRegistration);
    Entry found = kv.get(BUCKET, key).orElse(null);
    return found == null
        ? create(key, collectionRegistration)
        : compared(found, collectionRegistration);
  }

  private Outcome create(Key key, CollectionRegistration collectionRegistration) {
    var document = RegistrationDocument.written(collectionRegistration, nonces.get());
    WriteOutcome writeOutcome =
        new ConditionalWrite.Create(BUCKET, key, document.toValue()).sendUntilKnown(kv, TRIES);
    if (writeOutcome instanceof WriteOutcome.Applied) {
      return new Registered();
    }
    Entry found = kv.get(BUCKET, key).orElse(null);
    if (found == null) {
      throw new StoreException(
          "whether " + collectionRegistration.collection() + " is registered is open");
    }
    return compared(found, collectionRegistration);
  }

  private static Outcome compared(Entry found, CollectionRegistration wanted) {
    CollectionRegistration held = read(found);
    return held.equals(wanted) ? new Registered() : new RegisteredDifferently(held);
  }

  /// Those of one keyring.
  public List<CollectionRegistration> of(KeyringName keyring) {
    return all().stream().filter(it -> it.keyring().equals(keyring)).toList();
  }

  /// Those of every keyring.
  public List<CollectionRegistration> all() {
    Map<Key, CachedRegistration> before = last;
    Map<Key, CachedRegistration> now = new LinkedHashMap<>();
    for (Entry entry : kv.list(BUCKET, Prefix.ALL)) {
      CachedRegistration known = before.get(entry.key());
      boolean same = known != null && known.revision().equals(entry.revision());
      now.put(entry.key(), same ? known : new CachedRegistration(entry.revision(), read(entry)));
    }
    last = now;
    return now.values().stream().map(CachedRegistration::collectionRegistration).toList();
  }

  private static CollectionRegistration read(Entry entry) {
    return RegistrationDocument.read(Document.parse(entry.value()));
  }

  private static Key key(CollectionRegistration collectionRegistration) {
    return new Key(
        KeyEscaper.word(collectionRegistration.engine())
            + "."
            + KeyEscaper.word(collectionRegistration.collection()));
  }
}
