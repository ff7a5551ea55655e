package keyfleet.server;

import java.net.InetSocketAddress;
import keyfleet.crypto.KeyfleetException;

/// A process cannot listen on its configured address: another process uses it, or it does not
/// belong to this host.
final class ListenAddressException extends KeyfleetException {
  private static final long serialVersionUID = 1L;

  ListenAddressException(InetSocketAddress address, Throwable cause) {
    super(
        "cannot listen on %s:%d: %s"
            .formatted(address.getHostString(), address.getPort(), cause.getMessage()),
        "stop the process that uses it, or choose another port; port 0 picks a free one",
        cause);
  }
}
