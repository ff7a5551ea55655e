package keyfleet.awskms;

import static keyfleet.awskms.AwsKmsFixtures.AAD;
import static keyfleet.awskms.AwsKmsFixtures.OTHER_AAD;
import static keyfleet.awskms.AwsKmsFixtures.dek;
import static keyfleet.awskms.AwsKmsFixtures.kek;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KekVersion;
import keyfleet.providers.KeyDeletion;
import keyfleet.providers.ProviderException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.kms.KmsClient;

/// Tests KEKs in the KMS of moto. Each test has an alias of its own.
class AwsKmsProviderTest {
  @TempDir private static Path folder = Path.of("");
  private static @Nullable MotoServer started;

  @BeforeAll
  static void start() {
    started = MotoServer.start(folder);
  }

  @AfterAll
  static void stop() {
    if (started != null) {
      started.close();
    }
  }

  private static int port() {
    if (started == null) {
      throw new IllegalStateException("not started");
    }
    return started.port();
  }

  /// Creates a KMS key with an alias, and returns its id.
  private static String createKey(String alias) {
    try (KmsClient admin = AwsKmsFixtures.admin(port())) {
      String id = admin.createKey().keyMetadata().keyId();
      admin.createAlias(a -> a.aliasName("alias/" + alias).targetKeyId(id));
      return id;
    }
  }

  private static void moveAlias(String alias, String id) {
    try (KmsClient admin = AwsKmsFixtures.admin(port())) {
      admin.updateAlias(a -> a.aliasName("alias/" + alias).targetKeyId(id));
    }
  }

  private static List<Integer> versions(KekSet kekSet) {
    return kekSet.versions().stream().map(KekVersion::number).toList();
  }

  private static Optional<Dek> tryUnwrap(Kek kek, byte[] wrapped) {
    try {
      return kek.unwrap(wrapped, AAD);
    } catch (KekUnavailableException e) {
      return Optional
          .empty(); // moto answers that the caller may not; AWS, that the key is another one
    }
  }

  @Test
  void wrappedDek_opensOnlyWithItsKeyAndAad() {
    createKey("trip-v1");
    createKey("trip-v2");
    try (AwsKmsProvider provider = AwsKmsFixtures.provider(port(), "trip")) {
      KekSet kekSet = provider.load();
      Dek dek = dek();
      byte[] wrapped = kek(kekSet, 1).wrap(dek, AAD);
      assertTrue(wrapped.length <= AwsKmsKek.MAX_WRAPPED_BYTES, () -> wrapped.length + " bytes");
      assertEquals(dek.bytes(), kek(kekSet, 1).unwrap(wrapped, AAD).orElseThrow().bytes());
      assertEquals(Optional.empty(), kek(kekSet, 1).unwrap(wrapped, OTHER_AAD));
      assertEquals(Optional.empty(), tryUnwrap(kek(kekSet, 2), wrapped));
      byte[] corrupted = wrapped.clone();
      corrupted[corrupted.length - 1] ^= 1;
      assertEquals(Optional.empty(), kek(kekSet, 1).unwrap(corrupted, AAD));
    }
  }

  @Test
  void newAlias_isSeenWithoutARestart() {
    createKey("grow-v1");
    createKey("grow-vault-v1"); // belongs to a keyring with that name
    createKey("grow-v02");
    try (AwsKmsProvider provider = AwsKmsFixtures.provider(port(), "grow")) {
      KekSet before = provider.load();
      assertEquals(List.of(1), versions(before));
      createKey("grow-v2");
      KekSet after = provider.load();
      assertEquals(List.of(1, 2), versions(after));
      assertSame(kek(before, 1), kek(after, 1));
    }
  }

  @Test
  void movedAlias_isRefusedAndMovesNothing() {
    String first = createKey("move-v1");
    String other = createKey("spare");
    try (AwsKmsProvider provider = AwsKmsFixtures.provider(port(), "move")) {
      Kek kek = kek(provider.load(), 1);
      byte[] wrapped = kek.wrap(dek(), AAD);
      moveAlias("move-v1", other);
      ProviderException refusal = assertThrows(ProviderException.class, provider::load);
      assertTrue(refusal.getMessage().contains("never change"), refusal.getMessage());
      assertTrue(refusal.remedy().contains("--target-key-id " + first), refusal.remedy());
      assertTrue(kek.unwrap(wrapped, AAD).isPresent());
      moveAlias("move-v1", first);
      assertSame(kek, kek(provider.load(), 1));
    }
  }

  @Test
  void twoVersionsWithOneKey_areRefused() {
    String first = createKey("twin-v1");
    createKey("twin-v2");
    moveAlias("twin-v2", first);
    try (AwsKmsProvider provider = AwsKmsFixtures.provider(port(), "twin")) {
      ProviderException refusal = assertThrows(ProviderException.class, provider::load);
      assertTrue(refusal.getMessage().contains("a key of its own"), refusal.getMessage());
    }
  }

  @Test
  void deletion_isTheCommandOfAws() {
    String id = createKey("doomed-v1");
    try (AwsKmsProvider provider = AwsKmsFixtures.provider(port(), "doomed")) {
      provider.load();
      assertEquals(
          new KeyDeletion.ByHand(
              "aws kms schedule-key-deletion --key-id "
                  + id
                  + " --pending-window-in-days 30 && aws kms delete-alias --alias-name"
                  + " alias/doomed-v1"),
          provider.prepareDeletion(new KekVersion(1), Set.of()));
    }
  }
}
