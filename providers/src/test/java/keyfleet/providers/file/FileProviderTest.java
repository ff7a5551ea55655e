package keyfleet.providers.file;

import static keyfleet.providers.ProviderFixtures.KEY_1;
import static keyfleet.providers.ProviderFixtures.KEY_2;
import static keyfleet.providers.ProviderFixtures.RANDOM;
import static keyfleet.providers.ProviderFixtures.canRoundTrip;
import static keyfleet.providers.ProviderFixtures.file;
import static keyfleet.providers.ProviderFixtures.keyFile;
import static keyfleet.providers.ProviderFixtures.refusal;
import static keyfleet.providers.ProviderFixtures.v;
import static keyfleet.providers.ProviderFixtures.versions;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.SecretBytes;
import keyfleet.providers.KeyDeletion;
import keyfleet.providers.ProviderException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileProviderTest {
  @TempDir Path folder = Path.of("");
  private FileProvider provider = new FileProvider(KeyringName.MAIN, folder, RANDOM);

  @BeforeEach
  void open() {
    provider = new FileProvider(KeyringName.MAIN, folder, RANDOM);
  }

  @Test
  void keyFiles_areLoadedAndOthersLeftAlone() {
    keyFile(folder, "main.v1.key", KEY_1);
    keyFile(folder, "main.v2.key", KEY_2 + "\n");
    keyFile(folder, "payments.v3.key", "not ours to judge");
    keyFile(folder, "README", "x");
    KekSet kekSet = provider.load();
    assertEquals(List.of(1, 2), versions(kekSet));
    assertTrue(canRoundTrip(kekSet, 1) && canRoundTrip(kekSet, 2));
  }

  @Test
  void deletedKey_isGoneFromTheFolder_andOthersStay() {
    keyFile(folder, "main.v1.key", KEY_1);
    keyFile(folder, "main.v2.key", KEY_2);
    provider.load();
    KeyDeletion.Possible deletion =
        assertInstanceOf(KeyDeletion.Possible.class, provider.prepareDeletion(v(1), Set.of(v(2))));
    Path file = folder.resolve("main.v1.key");
    assertEquals("file " + file, deletion.key());
    assertTrue(Files.exists(file), "it is only prepared");
    assertEquals("deleted file " + file, deletion.delete().get());
    assertEquals(List.of(2), versions(provider.load()));
  }

  @Test
  void newFile_appearsAtTheNextLoadAndOldKeysStayThemselves() {
    keyFile(folder, "main.v1.key", KEY_1);
    KekSet before = provider.load();
    keyFile(folder, "main.v2.key", KEY_2);
    KekSet after = provider.load();
    assertEquals(List.of(1, 2), versions(after));
    assertEquals(before.find(v(1)), after.find(v(1)));
  }

  @Test
  void changedBytes_areRefusedAndTheLoadedKeyStaysUsable() throws IOException {
    Path file = keyFile(folder, "main.v1.key", KEY_1);
    KekSet kekSet = provider.load();
    Files.delete(file);
    keyFile(folder, "main.v1.key", KEY_2);
    assertTrue(refusal(provider::load).getMessage().contains("other bytes"));
    assertTrue(canRoundTrip(kekSet, 1));
  }

  @Test
  void removedFile_isUnloadedAndItsKeyWipedOneLoadLater() throws IOException {
    Path file = keyFile(folder, "main.v1.key", KEY_1);
    KekSet before = provider.load();
    Files.delete(file);
    assertEquals(List.of(), versions(provider.load()));
    assertTrue(canRoundTrip(before, 1), "an operation under way may still use the key");
    provider.load();
    assertThrows(IllegalStateException.class, () -> canRoundTrip(before, 1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"rw-r--r--", "rw-r-----", "r--r-----", "rwx------", "rw----r--", "-w-------"})
  void modeThatOthersCanRead_isRefusedWithTheCommandThatFixesIt(String mode) {
    Path file = file(folder.resolve("main.v1.key"), KEY_1, mode);
    ProviderException refusal = refusal(() -> SecretFileReader.read(file, 0));
    assertTrue(refusal.getMessage().contains(mode), refusal.getMessage());
    assertEquals("chmod 0400 " + file, refusal.remedy());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "c0ffee",
        "xyz",
        "c0ffee01c0ffee01c0ffee01c0ffee01c0ffee01c0ffee01c0ffee01c0ffee01 \n"
      })
  void invalidKey_isRefusedByPathAndNeverShown(String content) {
    Path file = keyFile(folder, "main.v1.key", content);
    ProviderException refusal = refusal(provider::load);
    assertEquals(file + " does not hold a key: a key is 64 hex digits", refusal.getMessage());
    assertFalse(refusal.remedy().contains("c0ffee"), refusal.remedy());
  }

  @ParameterizedTest
  @ValueSource(strings = {"main.v0.key", "main.v01.key", "main.vx.key", "main.v.key"})
  void almostValidName_isRefused(String name) {
    keyFile(folder, name, KEY_1);
    assertTrue(refusal(provider::load).getMessage().contains(name));
  }

  @Test
  void folderInPlaceOfAFile_isRefused() throws IOException {
    Files.createDirectory(folder.resolve("main.v1.key"));
    assertTrue(refusal(provider::load).getMessage().contains("not a regular file"));
  }

  @Test
  void missingFolder_isRefusedWithTheCommandThatCreatesIt() {
    FileProvider nowhere = new FileProvider(KeyringName.MAIN, folder.resolve("none"), RANDOM);
    assertTrue(refusal(nowhere::load).remedy().startsWith("mkdir -m 0700 "));
  }

  @Test
  void hugeFile_isRefusedBeforeItIsRead() {
    keyFile(folder, "main.v1.key", "0".repeat(SecretFileReader.MAX_BYTES + 1));
    assertTrue(refusal(provider::load).getMessage().contains("at most"));
  }

  /// Kubernetes mounts a secret as `name -> ..data/name`, `..data -> ..<time>`, and swaps `..data`.
  @Test
  void kubernetesSecretMount_isFollowedThroughASwap() throws IOException {
    mount("..2026_1", KEY_1, null);
    assertEquals(List.of(1), versions(provider.load()));
    mount("..2026_2", KEY_1, KEY_2);
    assertEquals(List.of(1, 2), versions(provider.load()));
  }

  private void mount(String name, String first, @org.jspecify.annotations.Nullable String second)
      throws IOException {
    Path data = Files.createDirectory(folder.resolve(name));
    link("main.v1.key", Path.of("..data", "main.v1.key"));
    keyFile(data, "main.v1.key", first);
    if (second != null) {
      link("main.v2.key", Path.of("..data", "main.v2.key"));
      keyFile(data, "main.v2.key", second);
    }
    Path swap = folder.resolve("..data_tmp");
    Files.createSymbolicLink(swap, Path.of(name));
    Files.move(swap, folder.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
  }

  private void link(String name, Path target) throws IOException {
    Path link = folder.resolve(name);
    if (!Files.isSymbolicLink(link)) {
      Files.createSymbolicLink(link, target);
    }
  }

  @Test
  void createdFile_isLoadableOwnerOnlyAndNeverReplaced() throws IOException {
    KeyFile file = KeyFile.in(folder, KeyringName.MAIN, v(3));
    file.create(SecretBytes.random(32, RANDOM));
    KekSet kekSet = provider.load();
    assertTrue(canRoundTrip(kekSet, 3));
    assertEquals(
        "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file.path())));
    byte[] before = Files.readAllBytes(file.path());
    assertTrue(
        refusal(() -> file.create(SecretBytes.random(32, RANDOM))).getMessage().contains("exists"));
    org.junit.jupiter.api.Assertions.assertArrayEquals(before, Files.readAllBytes(file.path()));
  }
}
