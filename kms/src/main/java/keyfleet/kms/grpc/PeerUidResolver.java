package keyfleet.kms.grpc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;

/// Finds the user id of a socket's peer from the JDK's `UserPrincipal`, which compares by the id
/// but does not show it.
final class PeerUidResolver {
  private static final int ROOT = 0;

  private PeerUidResolver() {}

  /// Returns the user id of `peer` if it is this process's user, who owns the socket at `own`, or
  /// root. Returns [SocketTransport#NO_UID] for any other user.
  static long resolve(UserPrincipal peer, Path own) {
    try {
      if (peer.equals(Files.getOwner(own))) {
        return SocketLock.ownUid();
      }
      UserPrincipal root =
          own.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("root");
      return peer.equals(root) ? ROOT : SocketTransport.NO_UID;
    } catch (IOException e) {
      return SocketTransport.NO_UID;
    }
  }
}
