package keyfleet.mongodb;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoConfigurationException;
import com.mongodb.MongoConnectionPoolClearedException;
import com.mongodb.MongoException;
import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteConcernException;
import com.mongodb.MongoWriteException;
import java.util.Set;
import java.util.function.Supplier;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;

/// Translates exceptions of the driver. The messages never contain the driver's own text, because
/// it can contain documents and passwords; they contain only the name of the server's error.
final class MongoErrors {
  static final int UNAUTHORIZED = 13;
  static final int NO_SUCH_COMMAND = 59;
  static final int NOT_SUPPORTED = 115;
  static final int VALIDATION = 121;
  static final int NOT_IMPLEMENTED = 238;
  static final int DUPLICATE_KEY = 11_000;

  /// Refusals that the same command gets each time: the server cannot do it.
  private static final Set<Integer> PERMANENT =
      Set.of(
          2,
          9,
          14,
          20,
          52,
          NO_SUCH_COMMAND,
          66,
          67,
          72,
          73,
          NOT_SUPPORTED,
          166,
          197,
          NOT_IMPLEMENTED,
          10_334,
          40_415);

  /// Errors with which a server refuses a command before it acts. After any other error the write
  /// may have been applied, so it counts as no response.
  private static final Set<Integer> REFUSED_BEFORE_ACTING =
      Set.of(
          2, // bad value
          9, // cannot be parsed
          UNAUTHORIZED,
          14, // wrong type
          18, // authentication failed
          20, // illegal operation
          26, // no such namespace
          52, // a field name that begins with a dollar
          NO_SUCH_COMMAND,
          66, // immutable field
          67, // the index cannot be created
          72, // invalid options
          73, // invalid namespace
          NOT_SUPPORTED,
          VALIDATION,
          166, // not supported on a view
          197, // invalid specification of an index
          NOT_IMPLEMENTED,
          10_334, // the document is too large
          40_415, // unknown field in the command
          10_107, // not the primary
          13_435, // not the primary, and no secondary reads
          13_436, // neither primary nor secondary
          DUPLICATE_KEY);

  private MongoErrors() {}

  /// For reads, and for steps before the actual write.
  static <T> T translate(Supplier<T> call) {
    try {
      return call.get();
    } catch (MongoException e) {
      throw toStoreException(e);
    }
  }

  /// Inserts a document; false if there is one with the same id.
  static boolean isInserted(Runnable insert) {
    try {
      insert.run();
      return true;
    } catch (MongoException e) {
      if (e.getCode() == DUPLICATE_KEY) {
        return false;
      }
      throw e;
    }
  }

  /// For the actual write: returns `unknown` if it may have been applied.
  static <T> T translateWrite(Supplier<T> call, T unknown) {
    try {
      return call.get();
    } catch (MongoException e) {
      if (isNotApplied(e)) {
        throw toStoreException(e);
      }
      return unknown;
    }
  }

  static boolean isNotApplied(MongoException e) {
    return switch (e) {
      // A subclass of the timeout below, but it can occur after the command was sent.
      case MongoOperationTimeoutException _ -> false;
      case MongoTimeoutException _,
          MongoConnectionPoolClearedException _,
          MongoSocketOpenException _,
          MongoSecurityException _,
          MongoConfigurationException _ ->
          true;
      case MongoCommandException refused -> isRefusal(refused);
      case MongoWriteException refused -> REFUSED_BEFORE_ACTING.contains(refused.getCode());
      default -> false;
    };
  }

  /// The driver throws the same class when a primary steps down while a write waits for its
  /// majority and when it refuses at once; only a refusal has an `ok`, with value 0.
  private static boolean isRefusal(MongoCommandException e) {
    var ok = e.getResponse().get("ok");
    return ok != null
        && ok.isNumber()
        && ok.asNumber().intValue() == 0
        && REFUSED_BEFORE_ACTING.contains(e.getCode());
  }

  /// Whether the server cannot do this, now and later.
  static boolean isPermanentRefusal(MongoCommandException e) {
    return isRefusal(e) && PERMANENT.contains(e.getCode());
  }

  static StoreException toStoreException(MongoException e) {
    return switch (e) {
      case MongoSecurityException security
          when security.getCause() instanceof MongoCommandException ->
          new StoreRefusedException(
              "MongoDB does not accept the user or the password of the store's URL",
              "check user, password-file and authSource",
              e);
      case MongoCommandException refused when refused.getCode() == UNAUTHORIZED ->
          new StoreRefusedException(
              "MongoDB does not let the store's user do this",
              "grant it readWrite and dbAdmin on the store's database",
              e);
      case MongoTimeoutException _ -> new StoreException("no primary of MongoDB answers", e);
      case MongoCommandException refused when PERMANENT.contains(refused.getCode()) ->
          cannot(errorName(refused), e);
      case MongoCommandException refused ->
          new StoreException("MongoDB refused the command: " + errorName(refused), e);
      case MongoWriteException refused when PERMANENT.contains(refused.getCode()) ->
          cannot("error " + refused.getCode(), e);
      case MongoWriteException refused ->
          new StoreException("MongoDB refused the write: error " + refused.getCode(), e);
      case MongoBulkWriteException _ -> new StoreException("MongoDB refused a write of a batch", e);
      case MongoWriteConcernException _ ->
          new StoreException("MongoDB did not confirm the write by a majority", e);
      default -> new StoreException("the connection to MongoDB failed", e);
    };
  }

  private static StoreRefusedException cannot(String error, MongoException e) {
    return new StoreRefusedException(
        "this server cannot do what Keyfleet needs: it answers " + error,
        "use MongoDB's own server, or postgresql://HOST/DATABASE",
        e);
  }

  private static String errorName(MongoCommandException e) {
    return e.getErrorCodeName().isEmpty() ? "error " + e.getCode() : e.getErrorCodeName();
  }
}
