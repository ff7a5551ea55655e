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

/// What it means that a call of the driver failed. The driver's own text stays unsaid but for the
/// name of the server's error: it can hold documents, and a URL with its password.
final class MongoErrors {
  static final int UNAUTHORIZED = 13;
  static final int NO_SUCH_COMMAND = 59;
  static final int VALIDATION = 121;
  static final int DUPLICATE_KEY = 11_000;

  /// Errors by which a server says that it refused a command before doing anything. An error that
  /// is not here may stand for a write that was applied: it counts as no answer.
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

  /// For reads, and for steps before the one that writes what the caller asked for.
  static <T> T translate(Supplier<T> call) {
    try {
      return call.get();
    } catch (MongoException e) {
      throw toStoreException(e);
    }
  }

  /// An upsert of a document that another makes at the same moment may fail by it; the second try
  /// finds it there.
  static <T> T retryUpsert(Supplier<T> call) {
    try {
      return call.get();
    } catch (MongoException e) {
      if (e.getCode() != DUPLICATE_KEY) {
        throw e;
      }
      return call.get();
    }
  }

  /// For the step that writes: `unknown` when it may have been applied.
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
      // A kind of timeout, but one that can strike after the command was sent.
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

  /// A primary that steps down while a write waits for its majority makes the driver throw the same
  /// class as one that refuses at once; only then the answer has an `ok`, and it is 0.
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
          new StoreException("MongoDB refused: " + errorName(refused), e);
      default -> new StoreException("the connection to MongoDB failed", e);
    };
  }

  private static String errorName(MongoCommandException e) {
    return e.getErrorCodeName().isEmpty() ? "error " + e.getCode() : e.getErrorCodeName();
  }
}
