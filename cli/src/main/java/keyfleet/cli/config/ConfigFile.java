package keyfleet.cli.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Optional;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.providers.FileErrorText;

/// A configuration file that only this user or root can have written: the file decides where keys
/// come from.
public record ConfigFile(String name, String text) {
  static final int MAX_BYTES = 64 * 1024;

  /// The folders to search, in this order.
  public static final List<Path> FOLDERS = List.of(Path.of(""), Path.of("/etc/keyfleet"));

  private static final String FILE_NAME = "keyfleet.yaml";
  private static final int ROOT_UID = 0;

  /// Reads only the first file that exists: files are never merged.
  static Optional<ConfigFile> find(List<Path> folders) {
    for (Path folder : folders) {
      Path file = folder.resolve(FILE_NAME);
      if (Files.exists(file)) {
        return Optional.of(read(file, (int) new UnixSystem().getUid()));
      }
    }
    return Optional.empty();
  }

  /// Reads the file that `--config` names. It must exist.
  static ConfigFile readNamed(String name) {
    Setting flag = Setting.named("--config", name);
    if (name.isBlank()) {
      throw flag.invalidValue("a path", FILE_NAME);
    }
    try {
      return read(Path.of(name), (int) new UnixSystem().getUid());
    } catch (InvalidPathException e) {
      throw flag.invalidValue("a path", FILE_NAME);
    }
  }

  static ConfigFile read(Path file, int uid) {
    try {
      PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class);
      checkShape(file, attributes);
      checkAccess(file, attributes, (int) Files.getAttribute(file, "unix:uid"), uid);
      try (InputStream in = Files.newInputStream(file)) {
        return new ConfigFile(printable(file), decode(file, in.readNBytes(MAX_BYTES)));
      }
    } catch (NoSuchFileException e) {
      throw new CommandException(
          printable(file) + " does not exist", "create it, or pass another --config");
    } catch (IOException e) {
      throw new CommandException(
          printable(file) + " cannot be read: " + FileErrorText.of(e),
          "run as the file's owner, or: chmod a+r " + printable(file));
    }
  }

  private static void checkShape(Path file, PosixFileAttributes attributes) {
    if (!attributes.isRegularFile()) {
      throw new CommandException(
          printable(file) + " is not a regular file", "--config=keyfleet.yaml");
    }
    if (attributes.size() > MAX_BYTES) {
      throw new CommandException(
          "%s has %d bytes; a configuration file may have at most %d"
              .formatted(printable(file), attributes.size(), MAX_BYTES),
          "check that this is the right file");
    }
  }

  private static void checkAccess(Path file, PosixFileAttributes attributes, int owner, int uid) {
    if (owner != uid && owner != ROOT_UID) {
      throw new CommandException(
          "%s belongs to user %d; it must belong to user %d or to root"
              .formatted(printable(file), owner, uid),
          "chown " + uid + " " + printable(file));
    }
    if (attributes.permissions().contains(PosixFilePermission.GROUP_WRITE)
        || attributes.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new CommandException(
          printable(file) + " is writable by users other than its owner",
          "chmod go-w " + printable(file));
    }
  }

  private static String decode(Path file, byte[] bytes) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new CommandException(printable(file) + " is not text in UTF-8", "save it as UTF-8");
    }
  }

  private static String printable(Path file) {
    return Console.sanitize(file.toString());
  }
}
