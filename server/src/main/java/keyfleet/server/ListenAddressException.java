package keyfleet.server;

import java.net.InetSocketAddress;

/// The address that a process should listen at is taken, or is none of this host's.
public final class ListenAddressException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ListenAddressException(InetSocketAddress address, Throwable cause) {
    super(
        "cannot listen at %s:%d: %s"
            .formatted(address.getHostString(), address.getPort(), cause.getMessage()),
        cause);
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
