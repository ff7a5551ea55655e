package keyfleet.nats;

import io.nats.client.AuthenticationException;
import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.ErrorListener;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.Options.HostnameResolveMode;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.StoreUrl;
import keyfleet.store.host.PrivateFile;

/// Connects to the servers that a URL names, and turns the driver's errors into messages for the
/// operator.
final class NatsConnector {
  /// Applies to each host separately: connecting, the TLS handshake and the server's first message.
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);

  private static final Duration RECONNECT_WAIT = Duration.ofMillis(250);
  private static final Duration RECONNECT_JITTER = Duration.ofMillis(100);

  /// A server that disappeared without closing the connection is detected after three pings.
  private static final Duration PING = Duration.ofSeconds(5);

  private static final int UNLIMITED = -1;
  private static final int MAX_CONNECT_ERRORS = 16;

  private final StoreUrl url;
  private final NatsTls tls;
  private final Queue<Exception> connectErrors = new ConcurrentLinkedQueue<>();

  NatsConnector(StoreUrl url) {
    this.url = url;
    this.tls = new NatsTls(url);
  }

  /// The listener gets the connection's events until the connection is closed.
  NatsConnection connect(ConnectionListener listener) {
    NatsExecutors executors = new NatsExecutors();
    try {
      return new NatsConnection(
          Nats.connect(options(executors, listener)), executors, url.toString());
    } catch (IOException e) {
      throw closeAfter(executors, toStoreException(e, executors));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw closeAfter(executors, new StoreException("interrupted while connecting to " + url, e));
    } catch (StoreException e) {
      throw closeAfter(executors, e);
    }
  }

  private static StoreException closeAfter(NatsExecutors executors, StoreException e) {
    executors.close();
    return e;
  }

  private Options options(NatsExecutors executors, ConnectionListener listener) {
    Options.Builder options =
        new Options.Builder()
            .servers(url.hosts().stream().map(it -> "nats://" + it).toArray(String[]::new))
            .connectionName("keyfleet")
            .connectionTimeout(CONNECT_LIMIT)
            // The only mode that keeps the host name, which TLS checks, and also tries IPv6.
            .hostnameResolveMode(HostnameResolveMode.HappyEyeballs)
            .maxReconnects(UNLIMITED)
            .reconnectWait(RECONNECT_WAIT)
            .reconnectJitter(RECONNECT_JITTER)
            .reconnectJitterTls(RECONNECT_JITTER)
            .pingInterval(PING)
            // A write during an outage fails at once: a buffered one would arrive after its caller
            // gave up.
            .reconnectBufferSize(0)
            .reportNoResponders()
            .executor(executors.tasks())
            .connectExecutor(executors.tasks())
            .callbackExecutor(executors.callbacks())
            .scheduledExecutor(executors.timers())
            .connectionListener(listener)
            .errorListener(errorCollector());
    addCredentials(options);
    addTls(options);
    return options.build();
  }

  private void addCredentials(Options.Builder options) {
    url.user().ifPresent(user -> options.userInfo(user, password()));
    url.parameter("token-file")
        .map(it -> new PrivateFile("token-file", it))
        .ifPresent(it -> options.token(it.readText().toCharArray()));
    url.parameter("creds")
        .map(it -> new PrivateFile("creds", it))
        .ifPresent(it -> options.authHandler(Nats.credentials(it.checkedPath())));
    url.parameter("nkey")
        .map(it -> new PrivateFile("nkey", it))
        .ifPresent(it -> options.authHandler(Nats.credentials(null, it.checkedPath())));
  }

  private String password() {
    return url.parameter("password-file")
        .map(it -> new PrivateFile("password-file", it).readText())
        .or(url::password)
        .orElse("");
  }

  /// With TLS only the hosts of the URL are used: the servers announce each other by IP address,
  /// which certificates rarely contain.
  private void addTls(Options.Builder options) {
    if (tls.isRequested()) {
      options.sslContext(tls.createContext()).ignoreDiscoveredServers();
    }
  }

  /// Collects the driver's errors instead of logging them: they say more than the exception that
  /// the driver throws.
  private ErrorListener errorCollector() {
    return new ErrorListener() {
      @Override
      public void exceptionOccurred(Connection connection, Exception e) {
        if (connectErrors.size() < MAX_CONNECT_ERRORS) {
          connectErrors.add(e);
        }
      }
    };
  }

  private StoreException toStoreException(IOException thrown, NatsExecutors executors) {
    if (thrown instanceof AuthenticationException) {
      return new StoreRefusedException(
          url + " refused the login",
          "check the user and password, or the token, creds or nkey file",
          thrown);
    }
    executors.awaitCallbacks(CONNECT_LIMIT);
    return connectErrors.stream()
        .flatMap(it -> Stream.iterate((Throwable) it, Objects::nonNull, Throwable::getCause))
        .flatMap(it -> tlsRefusal(it).stream())
        .findFirst()
        .orElseGet(() -> new StoreException(url + " does not answer", thrown));
  }

  /// A TLS problem that a retry does not solve. The driver has no other sign of the last two than
  /// the text.
  private Optional<StoreException> tlsRefusal(Throwable error) {
    String message = String.valueOf(error.getMessage());
    if (error instanceof SSLException) {
      return refused(
          "TLS with %s failed: %s".formatted(url, message),
          "tls-ca=FILE with the CA of the server's certificate, and a host that the certificate"
              + " names; or tls-cert and tls-key",
          error);
    }
    if (message.contains("SSL required by server")) {
      return refused(url + " requires TLS", "?tls=true", error);
    }
    return message.contains("SSL connection wanted by client")
        ? refused(
            url + " does not support TLS",
            "configure TLS on the server, or remove tls from the URL",
            error)
        : Optional.empty();
  }

  private static Optional<StoreException> refused(String sentence, String remedy, Throwable cause) {
    return Optional.of(new StoreRefusedException(sentence, remedy, cause));
  }
}
