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

/// Translates the errors of a client's first call. The driver reports every failure to find a
/// server with the same timeout; this class separates TLS failures, which a retry cannot fix.
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
        "TLS with %s failed: a certificate is not trusted, or the server does not use TLS"
            .formatted(url),
        "tlsCAFile=FILE with the CA of the server, tlsCertificateKeyFile=FILE with the client"
            + " certificate",
        e);
  }

  private static boolean isTlsFailure(@Nullable Throwable e) {
    return Stream.iterate(e, Objects::nonNull, Throwable::getCause)
        .anyMatch(SSLException.class::isInstance);
  }
}
