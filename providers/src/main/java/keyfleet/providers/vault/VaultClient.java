package keyfleet.providers.vault;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLException;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.providers.NetworkErrorText;
import keyfleet.providers.ProviderException;
import keyfleet.providers.RemoteCallPolicy;
import keyfleet.providers.RemoteCallPolicy.TimeBudget;
import keyfleet.providers.RemoteResult;
import keyfleet.providers.RemoteResult.RetryLater;
import keyfleet.providers.RemoteResult.Success;
import keyfleet.providers.Ticker;

/// Sends requests with a token to an OpenBao or Vault server. The caller interprets the answer of a
/// path; this class handles the states of the server that affect all paths.
final class VaultClient implements AutoCloseable {
  private final VaultSettings settings;
  private final VaultHttpClient http;
  private final RemoteCallPolicy callPolicy;
  private final VaultToken token;

  VaultClient(VaultSettings settings, Ticker ticker, RandomGenerator random) {
    this.settings = settings;
    this.http = new VaultHttpClient(settings);
    this.callPolicy = new RemoteCallPolicy(serverName(settings), ticker, random);
    this.token = new VaultToken(settings.tokenFile(), ticker);
  }

  private static String serverName(VaultSettings settings) {
    return "vault " + settings.address();
  }

  /// Sends a request of a load, with the token read from its file again.
  VaultResponse sendForLoad(VaultRequest request) {
    token.reload();
    token.fetchLifetime(path -> call(TimeBudget.LOAD, new VaultRequest.Read(path)));
    return sendWithToken(TimeBudget.LOAD, request);
  }

  VaultResponse send(VaultRequest request) {
    return sendWithToken(TimeBudget.KEY_OPERATION, request);
  }

  private VaultResponse sendWithToken(TimeBudget budget, VaultRequest request) {
    token.renewIfDue(path -> call(budget, new VaultRequest.Write(path, VaultToken.EMPTY_BODY)));
    VaultResponse response = call(budget, request);
    if (response.status() != VaultResponse.FORBIDDEN) {
      return response;
    }
    response.close();
    if (token.reload()) { // the file has a new token
      response = call(budget, request);
      if (response.status() != VaultResponse.FORBIDDEN) {
        return response;
      }
      response.close();
    }
    throw forbidden(request);
  }

  private VaultResponse call(TimeBudget budget, VaultRequest request) {
    return callPolicy.run(budget, limit -> attempt(request, limit));
  }

  private RemoteResult<VaultResponse> attempt(VaultRequest request, Duration limit) {
    try {
      return toResult(http.exchange(request, token.headerValue(), limit));
    } catch (TimeoutException e) {
      return new RetryLater<>("did not answer within " + limit.toMillis() + " ms");
    } catch (SSLException e) {
      throw new ProviderException(
          serverName(settings) + " cannot be trusted: " + NetworkErrorText.of(e),
          "&ca-file=FILE with the certificate of the server's authority, and the server's own name"
              + " in the URL",
          e);
    } catch (IOException e) {
      return new RetryLater<>("does not answer: " + NetworkErrorText.of(e));
    }
  }

  private RemoteResult<VaultResponse> toResult(VaultResponse response) {
    int status = response.status();
    if (status < 300 || (status >= 400 && status < 412)) {
      return new Success<>(response);
    }
    boolean sealed = response.hasError("sealed");
    Duration retryAfter = response.retryAfter();
    response.close();
    return switch (status) {
      case 429 -> RemoteResult.throttled("429", retryAfter);
      case 412, 500, 502, 504 -> new RetryLater<>("answered " + status, retryAfter);
      case 503 -> {
        if (sealed) {
          throw new KekUnavailableException(
              serverName(settings) + " is sealed; unseal it first (bao operator unseal)");
        }
        yield new RetryLater<>("answered 503: not in service", retryAfter);
      }
      case 301, 302, 303, 307, 308, 472, 473 ->
          throw new KekUnavailableException(
              serverName(settings)
                  + " is a standby that does not forward requests ("
                  + status
                  + "); use the address of the active server");
      default -> throw new KekUnavailableException(serverName(settings) + " answered " + status);
    };
  }

  private ProviderException forbidden(VaultRequest request) {
    String needed = request instanceof VaultRequest.Read ? "read" : "update";
    return new ProviderException(
        "%s forbids %s (403): the token in %s is wrong or expired, or its policy does not allow it"
            .formatted(serverName(settings), request.path(), settings.tokenFile()),
        "a token whose policy has: path \"%s\" { capabilities = [\"%s\"] }"
            .formatted(request.path(), needed));
  }

  @Override
  public void close() {
    http.close();
    token.close();
  }
}
