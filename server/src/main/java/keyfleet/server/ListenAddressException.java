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
        "keyfleet server --listen=127.0.0.1:0, or keyfleet kms-plugin --probes=127.0.0.1:0: port 0"
            + " picks a free port",
        cause);
  }
}
