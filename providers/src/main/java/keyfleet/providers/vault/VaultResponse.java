package keyfleet.providers.vault;

import java.time.Duration;

/// The response of a server. Its errors are searched for known phrases and never repeated: an error
/// page may quote the request, which may hold a data key.
record VaultResponse(int status, Duration retryAfter, JsonResponse body) implements AutoCloseable {
  static final int OK = 200;
  static final int NO_CONTENT = 204;
  static final int BAD_REQUEST = 400;
  static final int FORBIDDEN = 403;
  static final int NOT_FOUND = 404;

  private static final int MAX_ERRORS = 4;

  boolean isOk() {
    return status == OK;
  }

  boolean hasError(String words) {
    for (int i = 0; i < MAX_ERRORS; i++) {
      if (body.rawText("/errors/" + i).contains(words)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void close() {
    body.close();
  }
}
