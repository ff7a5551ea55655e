package keyfleet.kms.grpc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;

/// A user as the JDK tells of a socket's peer: two are equal if their numbers are, and the number
/// itself is not told.
final class PeerUidResolver {
  private static final int ROOT = 0;

  private PeerUidResolver() {}

  /// The number of who connected to the socket at `own`, which is this process's, if it is this
  /// process's user or root; else nobody's.
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
