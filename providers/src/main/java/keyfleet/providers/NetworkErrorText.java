package keyfleet.providers;

import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// Why a server cannot be used, in the words of people. It quotes no message of a client, which may
/// contain a part of the request.
public final class NetworkErrorText {
  /// A chain of causes is short; a longer one may be a circle.
  private static final int MAX_CAUSES = 10;

  private NetworkErrorText() {}

  public static String of(Throwable failure) {
    boolean isConnectFailure = false;
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
      String text = textOf(cause);
      if (text != null) {
        return text;
      }
      isConnectFailure |= cause instanceof ConnectException;
      cause = cause.getCause();
    }
    return isConnectFailure ? "no connection" : "the connection was lost";
  }

  private static @Nullable String textOf(Throwable cause) {
    return switch (cause) {
      case UnknownHostException _ -> "its host name is unknown";
      case UnresolvedAddressException _ -> "its host name is unknown";
      case HttpTimeoutException _ -> "no answer in time";
      case SocketTimeoutException _ -> "no answer in time";
      case TimeoutException _ -> "no answer in time";
      case SSLException e -> describeTls(e);
      case ConnectException e when says(e, "refused") -> "connection refused";
      case ConnectException e when says(e, "timed out") -> "no answer in time";
      default -> null;
    };
  }

  private static String describeTls(SSLException e) {
    return says(e, "unrecognized ssl message")
        ? "it does not answer with TLS"
        : "its certificate is not from a trusted authority, or is for another name";
  }

  private static boolean says(Exception e, String part) {
    return String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT).contains(part);
  }
}
