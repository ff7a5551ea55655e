package keyfleet.mongodb;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoWriteException;
import com.mongodb.client.MongoDatabase;
import java.util.ArrayList;
import java.util.List;
import keyfleet.store.CollectionShape;
import keyfleet.store.Fence;
import keyfleet.store.FenceResult;
import keyfleet.store.FenceResult.Raised;
import keyfleet.store.FenceResult.Unenforced;
import keyfleet.store.StoreException;
import keyfleet.store.Unknown;
import org.bson.Document;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/// Installs fence validators in a database, and finds out whether they make a fence on this server.
final class ValidatorInstaller {
  /// What validators of this server are worth.
  enum Enforcement {
    FENCES,
    /// The server stores validators and does not apply them.
    IGNORED,
    /// Writes that began before a `collMod` may land after it.
    NO_BARRIER
  }

  private static final String VALIDATOR = "validator";
  private static final String LEVEL = "validationLevel";
  private static final String ACTION = "validationAction";
  private static final String SCRATCH = "keyfleet.scratch.";

  private final MongoDatabase database;
  private @Nullable Enforcement enforcement;

  ValidatorInstaller(MongoDatabase database) {
    this.database = database;
  }

  boolean isEnforced() {
    return enforcement() == Enforcement.FENCES;
  }

  /// Probed once, on a scratch collection: some servers accept a validator without enforcing it, or
  /// enforce it late.
  synchronized Enforcement enforcement() {
    Enforcement found = enforcement;
    if (found == null) {
      found = MongoErrors.translate(this::probe);
      enforcement = found;
    }
    return found;
  }

  private Enforcement probe() {
    String scratch = SCRATCH + new ObjectId();
    try {
      Document rule = toRule(List.of(1));
      database.runCommand(
          new Document("create", scratch).append(VALIDATOR, rule).append(LEVEL, "moderate"));
      setValidator(scratch, rule);
      if (!isInvalidInsertRefused(scratch)) {
        return Enforcement.IGNORED;
      }
      return new ValidatorBarrierProbe(
                  database.getCollection(scratch), it -> setValidator(scratch, toRule(it)))
              .isBarrier()
          ? Enforcement.FENCES
          : Enforcement.NO_BARRIER;
    } catch (MongoCommandException e) {
      if (MongoErrors.isNotApplied(e)) {
        return Enforcement.IGNORED;
      }
      throw e;
    } finally {
      database.getCollection(scratch).drop();
    }
  }

  private static Document toRule(List<Integer> values) {
    return new Document(ValidatorBarrierProbe.FIELD, new Document("$in", values));
  }

  private boolean isInvalidInsertRefused(String scratch) {
    try {
      database.getCollection(scratch).insertOne(new Document(ValidatorBarrierProbe.FIELD, 2));
      return false;
    } catch (MongoException e) {
      if (e.getCode() == MongoErrors.VALIDATION) {
        return true;
      }
      // Another error also refuses the write, but not by the rule.
      if (e instanceof MongoWriteException
          || (e instanceof MongoCommandException refused
              && MongoErrors.isPermanentRefusal(refused))) {
        return false;
      }
      throw e;
    }
  }

  /// On a server that passed the probe, `collMod` is the barrier: it waits for every write that
  /// began before it.
  FenceResult install(CollectionShape shape, Fence fence) {
    Document options = readOptions(shape.name());
    try {
      return setValidator(shape.name(), validator(shape, fence, options))
          ? new Raised()
          : new Unknown();
    } catch (MongoCommandException e) {
      if (e.getCode() == MongoErrors.UNAUTHORIZED || MongoErrors.isPermanentRefusal(e)) {
        return new Unenforced();
      }
      throw e;
    }
  }

  boolean reinstallIfChanged(CollectionShape shape, Fence fence) {
    Document options = readOptions(shape.name());
    Document wanted = validator(shape, fence, options);
    boolean isInstalled =
        wanted.equals(options.get(VALIDATOR)) && "error".equals(options.get(ACTION));
    return isInstalled || setValidator(shape.name(), wanted);
  }

  /// Leaves out an application's validator with action `warn`: the server has one action for the
  /// whole validator.
  private static Document validator(CollectionShape shape, Fence fence, Document options) {
    FenceValidator rule = new FenceValidator(shape);
    Document current = options.get(VALIDATOR, new Document());
    Document applicationRule =
        "warn".equals(options.get(ACTION)) ? new Document() : rule.applicationPart(current);
    return rule.toDocument(fence.writable(), applicationRule);
  }

  /// Returns whether a majority has the validator.
  private boolean setValidator(String collection, Document validator) {
    Document command =
        new Document("collMod", collection)
            .append(VALIDATOR, validator)
            .append(LEVEL, "moderate")
            .append(ACTION, "error")
            .append(
                "writeConcern",
                new Document("w", "majority")
                    .append("wtimeout", MongoSettings.SERVER_LIMIT.toMillis()));
    return !database.runCommand(command).containsKey("writeConcernError");
  }

  private Document readOptions(String collection) {
    return database.listCollections().into(new ArrayList<>()).stream()
        .filter(it -> collection.equals(it.getString("name")))
        .findFirst()
        .map(it -> it.get("options", new Document()))
        .orElseThrow(() -> new StoreException("collection " + collection + " does not exist"));
  }
}
