package keyfleet.mongodb;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.UpdateOptions;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import keyfleet.crypto.KekVersion;
import keyfleet.store.CollectionShape;
import keyfleet.store.Fence;
import keyfleet.store.Fence.Term;
import keyfleet.store.FenceResult;
import keyfleet.store.FenceResult.Raised;
import keyfleet.store.FenceResult.StaleTerm;
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

  /// Stores the fence, then enforces it, so that every enforced fence is also stored.
  FenceResult raise(Fence next) {
    FenceResult result = MongoErrors.translateWrite(() -> store(next), new Unknown());
    if (!(result instanceof Raised)) {
      return result;
    }
    if (!validators.isEnforced()) {
      return new Unenforced();
    }
    result = MongoErrors.translateWrite(() -> validators.install(shape, next), new Unknown());
    return result instanceof Raised ? confirm(next) : result;
  }

  /// `collMod` has no condition: one of a lower term may arrive after one of a higher term. So the
  /// driver reads the stored fence after the installation and installs that one.
  private FenceResult confirm(Fence next) {
    Fence current = MongoErrors.translate(this::current).orElse(next);
    if (current.equals(next)) {
      return new Raised();
    }
    FenceResult reinstalled =
        MongoErrors.translateWrite(() -> validators.install(shape, current), new Unknown());
    return reinstalled instanceof Raised && !current.canYieldTo(next)
        ? new StaleTerm(current)
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

  private FenceResult store(Fence next) {
    long incarnation = next.term().incarnation();
    Document earlier = new Document(INCARNATION, new Document("$lt", incarnation));
    Document same =
        new Document(INCARNATION, incarnation)
            .append(EPOCH, new Document("$lte", next.term().epoch()));
    Document lowerTerm = new Document(ID, shape.name()).append("$or", List.of(earlier, same));
    Document change =
        new Document(INCARNATION, incarnation)
            .append(EPOCH, next.term().epoch())
            .append(WRITABLE, FenceValidator.numbers(next.writable()));
    UpdateOptions upsert = new UpdateOptions().upsert(true);
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
      try {
        fences.updateOne(lowerTerm, new Document("$set", change), upsert);
        lastSeen = next;
        return new Raised();
      } catch (MongoException e) {
        if (e.getCode() != MongoErrors.DUPLICATE_KEY) {
          throw e;
        }
      }
      // The stored fence did not match: it has a higher term, or another driver just created it.
      Optional<Fence> current = current().filter(it -> !it.canYieldTo(next));
      if (current.isPresent()) {
        return new StaleTerm(current.get());
      }
    }
    throw new StoreException(
        "the fence of collection %s changes too often to be raised".formatted(shape.name()));
  }

  private static Fence toFence(Document found) {
    return Fence.of(
        new Term(found.getLong(INCARNATION), found.getLong(EPOCH)),
        found.getList(WRITABLE, Integer.class).stream()
            .map(KekVersion::new)
            .collect(Collectors.toSet()));
  }
}
