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

/// The registered collections of all keyrings: those whose records contain sealed fields. An entry
/// is written once: a rotation that missed a collection would leave its records behind. It changes
/// only when a collection gains a version field, and is deleted only by an operator, for a
/// collection that is gone.
public final class CollectionRegistry {
  /// The result of registering a collection.
  public sealed interface Outcome {}

  public record Registered() implements Outcome {}

  /// The collection is registered for another keyring or with other fields.
  public record RegisteredDifferently(CollectionRegistration existing) implements Outcome {}

  private static final Bucket BUCKET = new Bucket.Lasting("collections");
  private static final int MAX_ATTEMPTS = 3;

  private record CachedRegistration(
      Revision revision, CollectionRegistration collectionRegistration) {}

  private final Kv kv;
  private final Supplier<String> nonces;

  /// The registrations of the last listing, because a driver lists at every step and they rarely
  /// change. Replaced as a whole.
  private volatile Map<Key, CachedRegistration> cached = Map.of();

  public CollectionRegistry(Kv kv, Supplier<String> nonces) {
    this.kv = kv;
    this.nonces = nonces;
  }

  /// Registers a collection. If it is registered without a version field, it gains that of
  /// `collectionRegistration`. A [StoreException] leaves it open whether the collection is
  /// registered; the caller may try again.
  public Outcome register(CollectionRegistration collectionRegistration) {
    Key key = key(collectionRegistration);
    Entry found = kv.get(BUCKET, key).orElse(null);
    return found == null
        ? create(key, collectionRegistration)
        : compare(found, collectionRegistration);
  }

  private Outcome create(Key key, CollectionRegistration collectionRegistration) {
    var document = RegistrationDocument.toDocument(collectionRegistration, nonces.get());
    WriteOutcome outcome =
        new ConditionalWrite.Create(BUCKET, key, document.toValue())
            .sendUntilKnown(kv, MAX_ATTEMPTS);
    if (outcome instanceof WriteOutcome.Applied) {
      return new Registered();
    }
    Entry found = kv.get(BUCKET, key).orElse(null);
    if (found == null) {
      throw noClearAnswer(collectionRegistration);
    }
    return compare(found, collectionRegistration);
  }

  private Outcome compare(Entry found, CollectionRegistration wanted) {
    CollectionRegistration existing = parse(found);
    if (existing.equals(wanted)) {
      return new Registered();
    }
    return existing.versionField().isEmpty() && existing.isSameButForVersionField(wanted)
        ? addVersionField(found, wanted)
        : new RegisteredDifferently(existing);
  }

  private Outcome addVersionField(Entry found, CollectionRegistration wanted) {
    var document = RegistrationDocument.toDocument(wanted, nonces.get());
    WriteOutcome outcome =
        new ConditionalWrite.Update(BUCKET, found.key(), document.toValue(), found.revision())
            .sendUntilKnown(kv, MAX_ATTEMPTS);
    if (outcome instanceof WriteOutcome.Applied) {
      return new Registered();
    }
    // Another process may have added one at the same time.
    CollectionRegistration now =
        kv.get(BUCKET, found.key())
            .map(CollectionRegistry::parse)
            .filter(it -> it.versionField().isPresent())
            .orElseThrow(() -> noClearAnswer(wanted));
    return now.equals(wanted) ? new Registered() : new RegisteredDifferently(now);
  }

  private static StoreException noClearAnswer(CollectionRegistration wanted) {
    return new StoreException(
        "the store gave no clear answer whether collection "
            + wanted.collection()
            + " is registered; try again");
  }

  /// Deletes the entry of a collection that no longer exists.
  public void unregister(CollectionRegistration collectionRegistration) {
    Key key = key(collectionRegistration);
    kv.get(BUCKET, key)
        .filter(it -> parse(it).equals(collectionRegistration))
        .ifPresent(it -> {
          var _ = kv.delete(BUCKET, key, it.revision());
        });
  }

  /// The registrations of one keyring.
  public List<CollectionRegistration> registrations(KeyringName keyring) {
    return allRegistrations().stream().filter(it -> it.keyring().equals(keyring)).toList();
  }

  /// The registrations of all keyrings.
  public List<CollectionRegistration> allRegistrations() {
    Map<Key, CachedRegistration> before = cached;
    Map<Key, CachedRegistration> now = new LinkedHashMap<>();
    for (Entry entry : kv.list(BUCKET, Prefix.ALL)) {
      CachedRegistration previous = before.get(entry.key());
      boolean same = previous != null && previous.revision().equals(entry.revision());
      now.put(
          entry.key(), same ? previous : new CachedRegistration(entry.revision(), parse(entry)));
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
