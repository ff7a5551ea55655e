package keyfleet.mongodb;

import com.mongodb.MongoException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.client.MongoClient;
import com.mongodb.connection.ServerDescription;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.StoreUrl;
import org.jspecify.annotations.Nullable;

/// The first call of a client. The driver tells every reason for which it finds no server by the
/// same timeout; here those that waiting cannot mend are told apart.
final class MongoConnectErrors {
  private MongoConnectErrors() {}

  static <T> T translate(StoreUrl url, MongoClient client, Supplier<T> call) {
    try {
      return call.get();
    } catch (MongoTimeoutException e) {
      throw client.getClusterDescription().getServerDescriptions().stream()
              .map(ServerDescription::getException)
              .anyMatch(MongoConnectErrors::isTlsFailure)
          ? tlsFailure(url, e)
          : new StoreException("no primary of MongoDB answers at " + url, e);
    } catch (MongoException e) {
      throw isTlsFailure(e) ? tlsFailure(url, e) : MongoErrors.toStoreException(e);
    }
  }

  private static StoreRefusedException tlsFailure(StoreUrl url, MongoException e) {
    return new StoreRefusedException(
        "TLS with %s fails: its certificate or ours is not trusted, or it speaks no TLS"
            .formatted(url),
        "tlsCAFile names who signed the server's certificate, tlsCertificateKeyFile ours",
        e);
  }

  private static boolean isTlsFailure(@Nullable Throwable e) {
    return Stream.iterate(e, Objects::nonNull, Throwable::getCause)
        .anyMatch(SSLException.class::isInstance);
  }
}
