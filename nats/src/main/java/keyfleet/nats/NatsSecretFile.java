package keyfleet.nats;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import keyfleet.store.StoreRefusedException;

/// A secret that the URL names by its file, which nobody else may read.
record NatsSecretFile(String param, Path path) {
  private static final int MAX_BYTES = 64 << 10;

  private static final Set<PosixFilePermission> OPEN =
      EnumSet.of(
          PosixFilePermission.GROUP_READ,
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE);

  /// Without a line feed at its end, which editors add.
  String text() {
    String text = new String(bytes(), UTF_8);
    return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
  }

  /// Its name, for a driver that reads it anew at each connection.
  String checked() {
    Arrays.fill(bytes(), (byte) 0);
    return path.toString();
  }

  byte[] bytes() {
    try {
      Set<PosixFilePermission> mode = EnumSet.noneOf(PosixFilePermission.class);
      mode.addAll(Files.getPosixFilePermissions(path));
      mode.retainAll(OPEN);
      if (!mode.isEmpty()) {
        throw new StoreRefusedException(
            "%s %s may be read or written by others: %s".formatted(param, path, mode),
            "chmod 0600 " + path);
      }
      return Files.size(path) > MAX_BYTES ? tooLong() : Files.readAllBytes(path);
    } catch (IOException e) {
      throw new StoreRefusedException(
          "%s %s cannot be read: %s".formatted(param, path, e.getClass().getSimpleName()),
          "check the name of the file, and that this user may read it",
          e);
    }
  }

  private byte[] tooLong() {
    throw new StoreRefusedException(
        "%s %s has over %d bytes".formatted(param, path, MAX_BYTES),
        "check that this is the right file");
  }
}
