package keyfleet.kms;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashSet;
import java.util.Set;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore.Activation;
import org.junit.jupiter.api.Test;

/// key_ids are stored in etcd, so they never change.
final class KmsKeyIdTest {
  private static KmsKeyId keyId(String keyring, int version, long epoch) {
    return KmsKeyId.of(keyring, new Activation(new KekVersion(version), epoch));
  }

  /// Another program computed these from the description in `keyfleet.kms`.
  @Test
  void keyId_isAsComputedElsewhere() {
    assertEquals("dodIJkwBqLq4dYMQqstGZ3vuLv18mcRdjhKLuvvCZjs", keyId("ring", 1, 1).text());
    assertEquals("0tfgOeexHErCu7Ms_xuoZcliNPDw9TFsWxkPwtDMrl8", keyId("ring", 2, 7).text());
    assertEquals(
        "sha256:22a808b86bc8d303d0ee3f987aafd558ef946e98aaedff75295903c9c07e4c51",
        keyId("ring", 1, 1).hash());
  }

  @Test
  void everyActivationOfEveryKeyring_hasItsOwnKeyId() {
    Set<KmsKeyId> all = new HashSet<>();
    for (String keyring : new String[] {"a", "b", "a\0", ""}) {
      for (int version = 1; version <= 20; version++) {
        for (long epoch = 1; epoch <= 20; epoch++) {
          all.add(keyId(keyring, version, epoch));
        }
      }
    }
    assertEquals(4 * 20 * 20, all.size());
  }
}
