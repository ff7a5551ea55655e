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
  public record RegisteredDifferently(CollectionRegistration existing) implements Outcome {}

  private static final Bucket BUCKET = new Bucket.Lasting("collections");
  private static final int MAX_ATTEMPTS = 3;

  private record CachedRegistration(
      Revision revision, CollectionRegistration collectionRegistration) {}

  private final Kv kv;
  private final Supplier<String> nonces;

  /// A driver asks at every step, and hardly ever is there a new one. Replaced as a whole.
  private volatile Map<Key, CachedRegistration> cached = Map.of();

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
        : compare(found, collectionRegistration);
  }

  private Outcome create(Key key, CollectionRegistration collectionRegistration) {
    var document = RegistrationDocument.toDocument(collectionRegistration, nonces.get());
    WriteOutcome writeOutcome =
        new ConditionalWrite.Create(BUCKET, key, document.toValue())
            .sendUntilKnown(kv, MAX_ATTEMPTS);
    if (writeOutcome instanceof WriteOutcome.Applied) {
      return new Registered();
    }
    Entry found = kv.get(BUCKET, key).orElse(null);
    if (found == null) {
      throw new StoreException(
          "whether " + collectionRegistration.collection() + " is registered is open");
    }
    return compare(found, collectionRegistration);
  }

  private static Outcome compare(Entry found, CollectionRegistration wanted) {
    CollectionRegistration held = parse(found);
    return held.equals(wanted) ? new Registered() : new RegisteredDifferently(held);
  }

  /// Those of one keyring.
  public List<CollectionRegistration> registrations(KeyringName keyring) {
    return allRegistrations().stream().filter(it -> it.keyring().equals(keyring)).toList();
  }

  /// Those of every keyring.
  public List<CollectionRegistration> allRegistrations() {
    Map<Key, CachedRegistration> before = cached;
    Map<Key, CachedRegistration> now = new LinkedHashMap<>();
    for (Entry entry : kv.list(BUCKET, Prefix.ALL)) {
      CachedRegistration known = before.get(entry.key());
      boolean same = known != null && known.revision().equals(entry.revision());
      now.put(entry.key(), same ? known : new CachedRegistration(entry.revision(), parse(entry)));
    }
    cached = now;
    return now.values().stream().map(CachedRegistration::collectionRegistration).toList();
  }

  private static CollectionRegistration parse(Entry entry) {
    return RegistrationDocument.parse(Document.parse(entry.value()));
  }

  private static Key key(CollectionRegistration collectionRegistration) {
    return new Key(
        KeyEscaper.escape(collectionRegistration.engine())
            + "."
            + KeyEscaper.escape(collectionRegistration.collection()));
  }
}
