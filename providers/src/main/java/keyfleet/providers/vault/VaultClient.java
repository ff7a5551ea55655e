package keyfleet.providers.vault;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLException;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.providers.ProviderException;
import keyfleet.providers.RemoteCallPolicy;
import keyfleet.providers.RemoteCallPolicy.TimeBudget;
import keyfleet.providers.RemoteResult;
import keyfleet.providers.RemoteResult.RetryLater;
import keyfleet.providers.RemoteResult.Success;
import keyfleet.providers.Ticker;

/// An OpenBaoServer or Vault server, as one who has a token meets it. What a path's answer means is
/// for the caller; what the server's state means, for all paths, is said here.
final class VaultClient implements AutoCloseable {
  private final VaultSettings settings;
  private final VaultHttpClient http;
  private final RemoteCallPolicy calls;
  private final VaultToken login;

  VaultClient(VaultSettings settings, Ticker ticker, RandomGenerator random) {
    this.settings = settings;
    this.http = new VaultHttpClient(settings);
    this.calls = new RemoteCallPolicy(name(settings), ticker, random);
    this.login = new VaultToken(settings.tokenFile(), ticker);
  }

  private static String name(VaultSettings settings) {
    return "vault " + settings.address();
  }

  /// A look at what is there, after which the token is known to be as fresh as it can be.
  VaultResponse look(VaultRequest request) {
    login.open();
    login.learnLifetime(path -> call(TimeBudget.LOOK, new VaultRequest.Read(path)));
    return keepingToken(TimeBudget.LOOK, request);
  }

  VaultResponse use(VaultRequest request) {
    return keepingToken(TimeBudget.USE, request);
  }

  private VaultResponse keepingToken(TimeBudget patience, VaultRequest request) {
    login.renewIfDue(path -> call(patience, new VaultRequest.Write(path, VaultToken.NO_BODY)));
    VaultResponse reply = call(patience, request);
    if (reply.status() != VaultResponse.FORBIDDEN) {
      return reply;
    }
    reply.close();
    if (login.open()) { // the file has another token by now
      reply = call(patience, request);
      if (reply.status() != VaultResponse.FORBIDDEN) {
        return reply;
      }
      reply.close();
    }
    throw forbidden(request);
  }

  private VaultResponse call(TimeBudget patience, VaultRequest request) {
    return calls.run(patience, limit -> attempt(request, limit));
  }

  private RemoteResult<VaultResponse> attempt(VaultRequest request, Duration limit) {
    try {
      return judged(http.exchange(request, login.token(), limit));
    } catch (TimeoutException e) {
      return new RetryLater<>("did not answer within " + limit.toMillis() + " ms");
    } catch (SSLException e) {
      throw new ProviderException(
          name(settings) + " cannot be trusted: " + e.getClass().getSimpleName(),
          "&ca-file=FILE with the certificate of the server's authority, and the server's own name"
              + " in the URL",
          e);
    } catch (IOException e) {
      return new RetryLater<>("does not answer: " + e.getClass().getSimpleName());
    }
  }

  private RemoteResult<VaultResponse> judged(VaultResponse reply) {
    int status = reply.status();
    if (status < 300 || (status >= 400 && status < 412)) {
      return new Success<>(reply);
    }
    boolean sealed = reply.complainsOf("sealed");
    Duration retryAfter = reply.retryAfter();
    reply.close();
    return switch (status) {
      case 429 -> RemoteResult.throttled("429", retryAfter);
      case 412, 500, 502, 504 -> new RetryLater<>("answered " + status, retryAfter);
      case 503 -> {
        if (sealed) {
          throw new KekUnavailableException(
              name(settings) + " is sealed; it answers once someone has unsealed it");
        }
        yield new RetryLater<>("answered 503, which says that it is not in service", retryAfter);
      }
      case 301, 302, 303, 307, 308, 472, 473 ->
          throw new KekUnavailableException(
              name(settings)
                  + " is a standby that forwards nothing ("
                  + status
                  + "); name the active server, or an address that leads to it");
      default -> throw new KekUnavailableException(name(settings) + " answered " + status);
    };
  }

  private ProviderException forbidden(VaultRequest request) {
    String needed = request instanceof VaultRequest.Read ? "read" : "update";
    return new ProviderException(
        "%s forbids %s (403): the token in %s is wrong or expired, or its policy does not allow it"
            .formatted(name(settings), request.path(), settings.tokenFile()),
        "a token whose policy has: path \"%s\" { capabilities = [\"%s\"] }"
            .formatted(request.path(), needed));
  }

  @Override
  public void close() {
    http.close();
    login.close();
  }
}
