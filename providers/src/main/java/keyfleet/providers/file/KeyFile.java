package keyfleet.providers.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.SecretBytes;
import keyfleet.providers.FileErrorText;
import keyfleet.providers.KeyHex;
import keyfleet.providers.ProviderException;

/// The file that holds the key of one version: 64 hex digits and an optional line feed.
public record KeyFile(Path path) {
  public static KeyFile in(Path folder, KeyringName keyring, KekVersion version) {
    return new KeyFile(folder.resolve(keyring + "." + version + ".key"));
  }

  /// Creates the file, with mode 0600 from the start. Never overwrites a file.
  public void create(SecretBytes key) {
    byte[] text = KeyHex.format(key);
    var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    var options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try (FileChannel file = FileChannel.open(path, options, mode)) {
      writeOrRemove(file, text);
    } catch (FileAlreadyExistsException e) {
      throw new ProviderException(
          path + " exists already; a version's bytes never change", "use the next --version", e);
    } catch (IOException e) {
      throw new ProviderException(path + " cannot be written: " + describe(e), remedy(e), e);
    } finally {
      Arrays.fill(text, (byte) 0);
    }
  }

  private static String describe(IOException e) {
    return e instanceof NoSuchFileException ? "its folder does not exist" : FileErrorText.of(e);
  }

  private String remedy(IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "mkdir -m 0700 -p " + path.toAbsolutePath().getParent();
      case AccessDeniedException _ -> "chmod u+w " + path.toAbsolutePath().getParent();
      default -> "name a folder on a disk that has room and can be written";
    };
  }

  private void writeOrRemove(FileChannel file, byte[] text) throws IOException {
    try {
      ByteBuffer rest = ByteBuffer.wrap(text);
      while (rest.hasRemaining()) {
        file.write(rest);
      }
      file.force(true);
    } catch (IOException e) {
      Files.deleteIfExists(path);
      throw e;
    }
  }

  /// Deletes the file, also from the folder on the disk. Its blocks are not overwritten, because a
  /// disk may keep copies of them anyway.
  String delete() {
    Path parent = path.toAbsolutePath().getParent();
    try {
      Files.deleteIfExists(path);
      if (parent != null) {
        try (FileChannel folder = FileChannel.open(parent)) {
          folder.force(true);
        }
      }
      return "deleted file " + path;
    } catch (IOException e) {
      throw new ProviderException(
          path + " cannot be deleted: " + FileErrorText.of(e), "rm " + path, e);
    }
  }

  SecretBytes read() {
    return KeyHex.parse(SecretFileReader.read(path))
        .orElseThrow(() ->
            new ProviderException(
                path + " does not hold a key: " + KeyHex.RULE,
                "rm " + path + ", then keyfleet kek generate"));
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
