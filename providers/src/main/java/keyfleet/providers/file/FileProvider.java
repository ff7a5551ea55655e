package keyfleet.providers.file;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.FileErrorText;
import keyfleet.providers.KekProvider;
import keyfleet.providers.KeyDeletion;
import keyfleet.providers.ProviderException;
import keyfleet.providers.SoftwareKekRegistry;

/// KEKs in the files of one folder, read again at each load. The folder may be the
/// `$CREDENTIALS_DIRECTORY` of systemd or a Kubernetes secret mount, whose files are links that are
/// swapped all at once.
public final class FileProvider implements KekProvider {
  public static final String NAME = "file";

  private final KeyringName keyring;
  private final Path folder;
  private final SoftwareKekRegistry registry;

  public FileProvider(KeyringName keyring, Path folder, SecureRandom random) {
    this.keyring = keyring;
    this.folder = folder;
    this.registry = new SoftwareKekRegistry(keyring, random);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String keyFolder() {
    return folder.toString();
  }

  @Override
  public KekSet load() {
    Map<KekVersion, Path> files = findFiles();
    registry.retain(files.keySet());
    files.forEach(this::read);
    return registry.toKekSet();
  }

  /// Deletes the file. A link, as in a mounted secret, is not the key, and so stays.
  @Override
  public KeyDeletion prepareDeletion(KekVersion version, Set<KekVersion> kept) {
    Path file = findFiles().getOrDefault(version, folder);
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
        ? new KeyDeletion.Possible("file " + file, () -> new KeyFile(file).delete())
        : new KeyDeletion.ByHand(file + " is a link: delete the key where the link points to");
  }

  private void read(KekVersion version, Path file) {
    registry.put(version, new KeyFile(file).read(), file.toString());
  }

  private Map<KekVersion, Path> findFiles() {
    Map<KekVersion, Path> byVersion = new TreeMap<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, keyring + ".v*.key")) {
      for (Path file : entries) {
        byVersion.put(parseVersion(file), file);
      }
      return byVersion;
    } catch (IOException e) {
      throw new ProviderException(
          "the key folder " + folder + " cannot be read: " + FileErrorText.of(e),
          e instanceof NoSuchFileException
              ? "mkdir -m 0700 %1$s && keyfleet kek generate --version=1 --provider file:%1$s"
                  .formatted(folder)
              : "run as the folder's owner, or name another folder",
          e);
    }
  }

  private KekVersion parseVersion(Path file) {
    String name = file.getFileName().toString();
    String digits = name.substring(keyring.value().length() + 2, name.length() - ".key".length());
    return KekVersion.parse(digits)
        .orElseThrow(() ->
            new ProviderException(
                file + " has no valid version in its name; the form is " + keyring + ".v2.key",
                "rename or remove " + file));
  }

  @Override
  public void close() {
    registry.close();
  }
}
