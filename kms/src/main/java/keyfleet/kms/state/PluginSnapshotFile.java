package keyfleet.kms.state;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Keystore.Activation;
import keyfleet.kms.PluginException;
import keyfleet.member.document.KeystoreDocument;
import keyfleet.store.Bytes;
import keyfleet.store.Document;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Value;
import org.jspecify.annotations.Nullable;

/// The file with the [PluginSnapshot] in the plugin's data folder. A snapshot is on the disk before
/// the plugin announces it. A reader finds the last snapshot or the one before, and always a
/// complete one. The file contains no secret.
public final class PluginSnapshotFile {
  private static final long FORMAT = 1;

  /// Far more than a keystore of a thousand versions needs.
  private static final long MAX_BYTES = 4 << 20;

  private final Path file;

  public PluginSnapshotFile(Path file) {
    this.file = file;
  }

  /// Returns nothing if there is no file yet. Throws [PluginException] if the file cannot be read:
  /// a plugin that forgot what it announced might announce an older key.
  Optional<PluginSnapshot> read() {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw unreadable("it has more than " + MAX_BYTES + " bytes", null);
      }
      Document document = Document.parse(new Value(Bytes.copyOf(Files.readAllBytes(file))));
      return Optional.of(document.as(PluginSnapshotFile::parse));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException | MalformedValueException e) {
      throw unreadable(String.valueOf(e.getMessage()), e);
    }
  }

  private PluginException unreadable(String reason, @Nullable Throwable cause) {
    return new PluginException(
        "the snapshot %s cannot be read: %s".formatted(file, reason),
        "restore it from a backup; or move it away if the store answers and is newer",
        cause);
  }

  /// Returns when the snapshot is on the disk.
  void write(PluginSnapshot snapshot) {
    Path folder = folder();
    Path fresh = folder.resolve(file.getFileName() + ".new");
    try {
      Files.createDirectories(folder, mode("rwx------"));
      write(fresh, toDocument(snapshot).toValue().bytes().toArray());
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      try (FileChannel entries = FileChannel.open(folder, StandardOpenOption.READ)) {
        entries.force(true);
      }
    } catch (IOException e) {
      throw new PluginException(
          "the snapshot %s cannot be written: %s".formatted(file, e.getMessage()),
          "give the plugin a data folder that it can write to, with free space",
          e);
    }
  }

  private Path folder() {
    Path parent = file.toAbsolutePath().getParent();
    return parent == null ? Path.of("/") : parent;
  }

  private static void write(Path to, byte[] bytes) throws IOException {
    Files.deleteIfExists(to);
    Set<StandardOpenOption> options =
        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try (FileChannel out = FileChannel.open(to, options, mode("rw-------"))) {
      ByteBuffer rest = ByteBuffer.wrap(bytes);
      while (rest.hasRemaining()) {
        int _ = out.write(rest);
      }
      out.force(true);
    }
  }

  private static FileAttribute<Set<PosixFilePermission>> mode(String mode) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode));
  }

  private static Document toDocument(PluginSnapshot snapshot) {
    return Document.builder()
        .number("format", FORMAT)
        .text("key_id", snapshot.keyId().text())
        .document(
            "announced",
            Document.builder()
                .number("version", snapshot.announced().version().number())
                .number("epoch", snapshot.announced().epoch())
                .build())
        .document("keystore", KeystoreDocument.toDocument(snapshot.keystore(), ""))
        .build();
  }

  private static PluginSnapshot parse(Document document) {
    if (document.number("format") != FORMAT) {
      throw new MalformedValueException(
          "its format is %d, but this program reads only format %d"
              .formatted(document.number("format"), FORMAT));
    }
    Document announced = document.document("announced");
    Keystore keystore = KeystoreDocument.parse(document.document("keystore"));
    PluginSnapshot snapshot =
        new PluginSnapshot(
            keystore,
            new Activation(
                new KekVersion(Math.toIntExact(announced.number("version"))),
                announced.number("epoch")));
    if (!snapshot.keyId().text().equals(document.text("key_id"))) {
      throw new MalformedValueException(
          "its key_id does not match the announced version and epoch");
    }
    return snapshot;
  }
}
