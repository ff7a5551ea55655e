package keyfleet.mongodb;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoConfigurationException;
import com.mongodb.MongoConnectionPoolClearedException;
import com.mongodb.MongoException;
import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.MongoTimeoutException;
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
  static final int VALIDATION = 121;
  static final int DUPLICATE_KEY = 11_000;

  /// Errors with which a server refuses a command before it acts. After any other error the write
  /// may have been applied, so it counts as no response.
  private static final Set<Integer> REFUSED_BEFORE_ACTING =
      Set.of(
          2, // bad value
          9, // cannot be parsed
          UNAUTHORIZED,
          14, // wrong type
          18, // authentication failed
          26, // no such namespace
          NO_SUCH_COMMAND,
          66, // immutable field
          72, // invalid options
          VALIDATION,
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
      case MongoCommandException refused ->
          new StoreException("MongoDB refused the command: " + errorName(refused), e);
      default -> new StoreException("the connection to MongoDB failed", e);
    };
  }

  private static String errorName(MongoCommandException e) {
    return e.getErrorCodeName().isEmpty() ? "error " + e.getCode() : e.getErrorCodeName();
  }
}
