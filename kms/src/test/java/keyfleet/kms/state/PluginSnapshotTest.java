package keyfleet.kms.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Optional;
import keyfleet.keyring.Keystore;
import keyfleet.kms.FakeRemoteProvider;
import keyfleet.kms.PluginException;
import keyfleet.kms.TestKeyring;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The snapshot on the disk, and how keystores compare with it.
final class PluginSnapshotTest {
  @TempDir Path folder;
  private final FakeRemoteProvider remote = new FakeRemoteProvider(1, 2, 3);
  private final TestKeyring keyring = new TestKeyring(remote);

  private Path path() {
    return folder.resolve("data/s.json");
  }

  private PluginSnapshotFile file() {
    return new PluginSnapshotFile(path());
  }

  private PluginSnapshot pluginSnapshot() {
    return new PluginSnapshot(keyring.keystore(), keyring.keystore().activations().getLast());
  }

  private void rotateTo(int version) {
    keyring.announceAndFlip(version);
    keyring.complete();
  }

  @Test
  void writtenSnapshot_isReadAsItWas() {
    assertEquals(Optional.empty(), file().read());
    file().write(pluginSnapshot());
    assertEquals(Optional.of(pluginSnapshot()), file().read());
    rotateTo(2);
    file().write(pluginSnapshot());
    assertEquals(Optional.of(pluginSnapshot()), file().read());
  }

  @Test
  void snapshotFile_isOnlyForTheOwner_andLeavesNoOtherFile() throws IOException {
    file().write(pluginSnapshot());
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path())));
    try (var all = Files.list(path().resolveSibling(""))) {
      assertEquals(1, all.count());
    }
  }

  @Test
  void crashWhileWriting_leavesTheSnapshotBefore() throws IOException {
    file().write(pluginSnapshot());
    Files.writeString(path().resolveSibling("s.json.new"), "{\"format\":1,\"key");
    assertEquals(Optional.of(pluginSnapshot()), file().read());
    rotateTo(2);
    file().write(pluginSnapshot());
    assertEquals(Optional.of(pluginSnapshot()), file().read());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "format":1   | "format":2
          "key_id":"   | "key_id":"A
          "epoch":1    | "epoch":9
          "version":1  | "version":2
          "active":1   | "active":7
          {            | [
          "keystore"   | "keystroke"
          """)
  void corruptSnapshot_isRefusedWithASentence(String good, String bad) throws IOException {
    file().write(pluginSnapshot());
    String text = Files.readString(path());
    assertTrue(text.contains(good), text);
    Files.writeString(path(), text.replace(good, bad));
    var refusal = assertThrows(PluginException.class, () -> file().read());
    assertTrue(refusal.getMessage().contains(path().toString()), refusal::getMessage);
    assertTrue(refusal.remedy().contains("backup"), refusal::remedy);
  }

  @Test
  void emptyOrCutSnapshot_isRefused() throws IOException {
    file().write(pluginSnapshot());
    byte[] whole = Files.readAllBytes(path());
    for (int length = 0; length < whole.length; length++) {
      Files.write(path(), Arrays.copyOf(whole, length));
      assertThrows(PluginException.class, () -> file().read());
    }
  }

  @Test
  void laterKeystores_areSameOrNewer() {
    PluginSnapshot before = pluginSnapshot();
    assertInstanceOf(PluginSnapshot.SameOrNewer.class, before.compareWith(before.keystore()));
    assertInstanceOf(PluginSnapshot.SameOrNewer.class, before.compareWith(keyring.announce(2)));
    keyring.stage(2);
    assertInstanceOf(PluginSnapshot.SameOrNewer.class, before.compareWith(keyring.flip()));
    assertInstanceOf(PluginSnapshot.SameOrNewer.class, before.compareWith(keyring.complete()));
  }

  @Test
  void earlierKeystoreOrAnotherOne_isStoreBehind() {
    Keystore old = keyring.keystore();
    rotateTo(2);
    assertInstanceOf(PluginSnapshot.StoreBehind.class, pluginSnapshot().compareWith(old));
    Keystore.Identity again = new Keystore.Identity("ring-of-the-test", 2, Keystore.Use.KMS);
    assertInstanceOf(
        PluginSnapshot.StoreBehind.class, pluginSnapshot().compareWith(withIdentity(again)));
    Keystore.Identity other = new Keystore.Identity("another", 1, Keystore.Use.KMS);
    assertInstanceOf(
        PluginSnapshot.StoreBehind.class, pluginSnapshot().compareWith(withIdentity(other)));
  }

  private Keystore withIdentity(Keystore.Identity identity) {
    Keystore it = keyring.keystore();
    return new Keystore(
        identity,
        it.epoch(),
        it.active(),
        it.writable(),
        it.timings(),
        it.rotation(),
        it.versions(),
        it.activations());
  }

  @Test
  void anotherHistory_isDiverged() {
    TestKeyring other = new TestKeyring(remote);
    Keystore flipped = other.announceAndFlip(3);
    rotateTo(2);
    assertInstanceOf(PluginSnapshot.HistoryDiverged.class, pluginSnapshot().compareWith(flipped));
  }
}
