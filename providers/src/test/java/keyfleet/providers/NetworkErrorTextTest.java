package keyfleet.providers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Map;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class NetworkErrorTextTest {
  @Test
  void failures_areNamedAsPeopleDo() {
    Map<Throwable, String> expected =
        Map.of(
            new UnknownHostException("bao"),
            "its host name is unknown",
            withCause(new ConnectException(), new UnresolvedAddressException()),
            "its host name is unknown",
            new ConnectException("Connection refused"),
            "connection refused",
            new ConnectException(),
            "no connection",
            new HttpConnectTimeoutException("after 5 s"),
            "no answer in time",
            new IOException("wrapped", new SSLHandshakeException("PKIX path building failed")),
            "its certificate is not from a trusted authority, or is for another name",
            new SSLException("Unsupported or unrecognized SSL message"),
            "it does not answer with TLS",
            new EOFException("token=hunter2"),
            "the connection was lost");
    expected.forEach((failure, text) -> assertEquals(text, NetworkErrorText.of(failure)));
  }

  private static Throwable withCause(Throwable failure, Throwable cause) {
    failure.initCause(cause);
    return failure;
  }

  @Test
  void circleOfCauses_ends() {
    IOException first = new IOException();
    IOException second = new IOException(first);
    first.initCause(second);
    assertEquals("the connection was lost", NetworkErrorText.of(first));
  }
}
