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

/// Connects as the URL says, and says in words why it could not.
final class NatsConnector {
  /// For each host: to connect, to shake hands, to be told who is there.
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);

  private static final Duration RECONNECT_WAIT = Duration.ofMillis(250);
  private static final Duration RECONNECT_JITTER = Duration.ofMillis(100);

  /// A peer that is gone without a word is noticed after three of them.
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

  /// `events` hears of the connection's fate until it is closed.
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
            // The one mode that keeps the host's name, which TLS checks, and also tries IPv6.
            .hostnameResolveMode(HostnameResolveMode.HappyEyeballs)
            .maxReconnects(UNLIMITED)
            .reconnectWait(RECONNECT_WAIT)
            .reconnectJitter(RECONNECT_JITTER)
            .reconnectJitterTls(RECONNECT_JITTER)
            .pingInterval(PING)
            // A write in an outage fails at once: one kept for later would arrive after its caller
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

  /// With TLS we call hosts by the names of the URL alone: those the servers tell of each other are
  /// addresses, for which a certificate is seldom made.
  private void addTls(Options.Builder options) {
    if (tls.isRequested()) {
      options.sslContext(tls.context()).ignoreDiscoveredServers();
    }
  }

  /// The driver would log; we keep what it met, which says more than what it throws.
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
          url + " refused who we are",
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

  /// Of what was met, the one thing that trying again does not help.
  private Optional<StoreException> tlsRefusal(Throwable error) {
    String message = String.valueOf(error.getMessage());
    if (error instanceof SSLException) {
      return refused(
          "no TLS with %s: %s".formatted(url, message),
          "tls-ca=FILE with the authority of the server's certificate, and a host that it names; or"
              + " tls-cert and tls-key",
          error);
    }
    if (message.contains("SSL required by server")) {
      return refused(url + " speaks TLS only", "?tls=true", error);
    }
    return message.contains("SSL connection wanted by client")
        ? refused(url + " has no TLS", "give the server a certificate, or leave tls out", error)
        : Optional.empty();
  }

  private static Optional<StoreException> refused(String sentence, String remedy, Throwable cause) {
    return Optional.of(new StoreRefusedException(sentence, remedy, cause));
  }
}
