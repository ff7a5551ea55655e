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

/// The fence of one collection: remembered in a document, and held by a validator where the server
/// enforces one. The package's description says what a validator can and cannot hold.
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

  /// First remembered, then enforced: who finds a fence in force finds it remembered too.
  FenceResult raise(Fence next) {
    FenceResult fenceResult = MongoErrors.translateWrite(() -> store(next), new Unknown());
    if (!(fenceResult instanceof Raised)) {
      return fenceResult;
    }
    if (!validators.isEnforced()) {
      return new Unenforced();
    }
    fenceResult = MongoErrors.translateWrite(() -> validators.install(shape, next), new Unknown());
    return fenceResult instanceof Raised ? confirm(next) : fenceResult;
  }

  /// `collMod` takes no condition: one sent under a lower term may come after one of a higher. So
  /// whoever installs looks afterwards what is remembered, and puts that in force.
  private FenceResult confirm(Fence next) {
    Fence current = MongoErrors.translate(this::current).orElse(next);
    if (current.equals(next)) {
      return new Raised();
    }
    FenceResult reinstalled =
        MongoErrors.translateWrite(() -> validators.install(shape, current), new Unknown());
    return reinstalled instanceof Raised && !current.yieldsTo(next)
        ? new StaleTerm(current)
        : new Unknown();
  }

  /// Puts the remembered fence in force again if something else stands in its place: an
  /// application's own `collMod`, or that of a driver that was stopped in the middle.
  void reinstallIfChanged() {
    Optional<Fence> current = MongoErrors.translate(this::current);
    if (current.isPresent() && validators.isEnforced()) {
      MongoErrors.translate(() -> validators.reinstallIfChanged(shape, current.get()));
    }
  }

  /// A fence that forbids this change though the server may not. The one last seen is asked first:
  /// only if it forbids is the one that stands read.
  Optional<Fence> forbidding(SealedFields before, SealedFields after) {
    Fence last = lastSeen;
    return last == null || last.allows(before, after)
        ? Optional.empty()
        : MongoErrors.translate(this::current).filter(it -> !it.allows(before, after));
  }

  /// The fence on whose behalf the server refused.
  Fence refusingFence(SealedFields before, SealedFields after) {
    return current()
        .filter(it -> !it.allows(before, after))
        .orElseThrow(() ->
            new StoreRefusedException(
                "the validator of collection %s refuses the record".formatted(shape.name()),
                "look at the application's own validation rules"));
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
      // One is there that did not match: a higher one, unless another was first to make it.
      Optional<Fence> current = current().filter(it -> !it.yieldsTo(next));
      if (current.isPresent()) {
        return new StaleTerm(current.get());
      }
    }
    throw new StoreException("the fence of %s changes all the time".formatted(shape.name()));
  }

  private static Fence toFence(Document found) {
    return Fence.of(
        new Term(found.getLong(INCARNATION), found.getLong(EPOCH)),
        found.getList(WRITABLE, Integer.class).stream()
            .map(KekVersion::new)
            .collect(Collectors.toSet()));
  }
}
