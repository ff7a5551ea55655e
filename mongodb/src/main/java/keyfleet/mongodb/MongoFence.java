package keyfleet.mongodb;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Projections;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import keyfleet.crypto.KekVersion;
import keyfleet.store.CollectionShape;
import keyfleet.store.Fence;
import keyfleet.store.Fence.Term;
import keyfleet.store.FenceResult;
import keyfleet.store.FenceResult.Raised;
import keyfleet.store.FenceResult.Refused;
import keyfleet.store.FenceResult.Unenforced;
import keyfleet.store.SealedFields;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.Unknown;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

/// The fence of one collection: stored in a document, and enforced by a validator where the server
/// enforces validators. The package description says what a validator can and cannot enforce.
final class MongoFence {
  private static final String ID = "_id";
  private static final String INCARNATION = "incarnation";
  private static final String EPOCH = "epoch";
  private static final String WRITABLE = "writable";

  private static final int MAX_ATTEMPTS = 5;

  private final CollectionShape shape;
  private final MongoCollection<Document> fences;
  private final ValidatorInstaller validators;
  private volatile @Nullable Fence lastSeen;

  MongoFence(CollectionShape shape, MongoDatabase database, ValidatorInstaller validators) {
    this.shape = shape;
    this.fences = database.getCollection("keyfleet.fences");
    this.validators = validators;
  }

  Optional<Fence> current() {
    Document found =
        fences
            .find(new Document(ID, shape.name()))
            .projection(Projections.include(INCARNATION, EPOCH, WRITABLE))
            .maxTime(MongoSettings.SERVER_LIMIT.toMillis(), MILLISECONDS)
            .first();
    Optional<Fence> current = Optional.ofNullable(found).map(MongoFence::toFence);
    lastSeen = current.orElse(null);
    return current;
  }

  FenceResult raise(Fence next) {
    return raise(held -> held.canYieldTo(next), next);
  }

  FenceResult replace(Fence held, Fence next) {
    if (MongoErrors.translate(this::current).isEmpty()) {
      throw new StoreException("collection %s has no fence to replace".formatted(shape.name()));
    }
    return raise(held::equals, next);
  }

  /// Stores the fence, then enforces it, so that every enforced fence is also stored. `canReplace`
  /// decides on the present fence.
  private FenceResult raise(Predicate<Fence> canReplace, Fence next) {
    FenceResult result = MongoErrors.translateWrite(() -> store(canReplace, next), new Unknown());
    if (!(result instanceof Raised)) {
      return result;
    }
    if (!validators.isEnforced()) {
      return new Unenforced();
    }
    result = MongoErrors.translateWrite(() -> validators.install(shape, next), new Unknown());
    return result instanceof Raised ? confirm(canReplace, next) : result;
  }

  /// `collMod` has no condition: that of an earlier fence may arrive after that of a later one. So
  /// the driver reads the stored fence after the installation and installs that one.
  private FenceResult confirm(Predicate<Fence> canReplace, Fence next) {
    Fence current = MongoErrors.translate(this::current).orElse(next);
    if (current.equals(next)) {
      return new Raised();
    }
    FenceResult reinstalled =
        MongoErrors.translateWrite(() -> validators.install(shape, current), new Unknown());
    return reinstalled instanceof Raised && !canReplace.test(current)
        ? new Refused(current)
        : new Unknown();
  }

  /// Installs the stored fence again if another validator has replaced it: by a `collMod` of the
  /// application, or of a driver that stopped halfway.
  void reinstallIfChanged() {
    Optional<Fence> current = MongoErrors.translate(this::current);
    if (current.isPresent() && validators.isEnforced()) {
      MongoErrors.translate(() -> validators.reinstallIfChanged(shape, current.get()));
    }
  }

  /// The fence that forbids this change; needed because the server may not enforce all rules. Reads
  /// the stored fence only if the last seen one forbids the change.
  Optional<Fence> forbiddingFence(SealedFields before, SealedFields after) {
    Fence last = lastSeen;
    return last == null || last.isChangeAllowed(before, after)
        ? Optional.empty()
        : MongoErrors.translate(this::current).filter(it -> !it.isChangeAllowed(before, after));
  }

  /// The fence that made the server refuse the change.
  Fence refusingFence(SealedFields before, SealedFields after) {
    return current()
        .filter(it -> !it.isChangeAllowed(before, after))
        .orElseThrow(() ->
            new StoreRefusedException(
                "the validator of collection %s refuses the record".formatted(shape.name()),
                "check the application's own validation rules"));
  }

  /// Compares and sets. There is no upsert: some servers lose racing ones.
  private FenceResult store(Predicate<Fence> canReplace, Fence next) {
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
      Optional<Fence> held = current();
      if (held.isPresent() && !canReplace.test(held.get())) {
        return new Refused(held.get());
      }
      Document added = fieldsOf(next).append(ID, shape.name());
      if (held.isEmpty()
          ? MongoErrors.isInserted(() -> fences.insertOne(added))
          : isUpdated(held.get(), next)) {
        lastSeen = next;
        return new Raised();
      }
    }
    throw new StoreException(
        "the fence of collection %s changes too often to be raised".formatted(shape.name()));
  }

  private boolean isUpdated(Fence held, Fence next) {
    Document unchanged = fieldsOf(held).append(ID, shape.name());
    return fences.updateOne(unchanged, new Document("$set", fieldsOf(next))).getMatchedCount() == 1;
  }

  private static Document fieldsOf(Fence fence) {
    return new Document(INCARNATION, fence.term().incarnation())
        .append(EPOCH, fence.term().epoch())
        .append(WRITABLE, FenceValidator.numbers(fence.writable()));
  }

  private static Fence toFence(Document found) {
    return Fence.of(
        new Term(found.getLong(INCARNATION), found.getLong(EPOCH)),
        found.getList(WRITABLE, Integer.class).stream()
            .map(KekVersion::new)
            .collect(Collectors.toSet()));
  }
}
