package keyfleet.server;

import java.net.InetSocketAddress;

/// A process cannot listen on its configured address: another process uses it, or it does not
/// belong to this host.
public final class ListenAddressException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ListenAddressException(InetSocketAddress address, Throwable cause) {
    super(
        "cannot listen on %s:%d: %s"
            .formatted(address.getHostString(), address.getPort(), cause.getMessage()),
        cause);
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
