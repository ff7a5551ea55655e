package keyfleet.kms.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision;
import keyfleet.keyring.Roster;
import keyfleet.keyring.VersionRemoval;
import keyfleet.kms.FakeRemoteProvider;
import keyfleet.kms.KmsPluginFixture;
import keyfleet.kms.TestKeyring;
import keyfleet.kms.localkek.KeyHierarchy;
import keyfleet.kms.localkek.KmsCiphertext;
import keyfleet.kms.localkek.WrappedKey;
import keyfleet.kms.v2.DecryptRequest;
import keyfleet.kms.v2.EncryptResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Invalid calls: each gets its status code and a sentence, and none reaches the remote.
final class RequestValidationTest {
  @TempDir Path folder;
  private final FakeRemoteProvider remote = new FakeRemoteProvider(1, 2);
  private final TestKeyring keyring = new TestKeyring(remote);
  private KmsPluginFixture plugin = new KmsPluginFixture(Path.of("unused"), remote);

  @BeforeEach
  void start() {
    plugin =
        new KmsPluginFixture(folder.resolve("s.json"), remote).receiveKeystore(keyring.keystore());
  }

  private static void check(Status.Code code, Status refusal) {
    assertEquals(code, refusal.getCode(), refusal::toString);
    String sentence = String.valueOf(refusal.getDescription());
    assertTrue(sentence.contains(" "), () -> "no sentence: " + sentence);
  }

  static Stream<Arguments> encrypts() {
    return Stream.of(
        Arguments.of("empty uid", 1, ""),
        Arguments.of("long uid", 1, "u".repeat(RequestValidator.MAX_UID + 1)),
        Arguments.of("empty plaintext", 0, "uid"),
        Arguments.of("oversized plaintext", RequestValidator.MAX_PLAINTEXT + 1, "uid"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("encrypts")
  void invalidEncrypt_isRefused(String what, int bytes, String uid) {
    remote.resetCounts();
    ByteString plaintext = ByteString.copyFrom(new byte[bytes]);
    check(Status.Code.INVALID_ARGUMENT, plugin.encryptCall(plaintext, uid).refusal());
    assertEquals(0, remote.calls(), what);
  }

  @Test
  void longestPlaintext_fitsIntoWhatAnApiServerStores() {
    ByteString plaintext = ByteString.copyFrom(new byte[RequestValidator.MAX_PLAINTEXT]);
    EncryptResponse sealed = plugin.encryptCall(plaintext, "uid").answer();
    assertEquals(KmsCiphertext.MAX_BYTES, sealed.getCiphertext().size());
    assertEquals(
        plaintext,
        plugin
            .decryptCall(KmsPluginFixture.decryptRequestFor(sealed).build())
            .answer()
            .getPlaintext());
  }

  private static Arguments decrypt(
      String what, Status.Code code, UnaryOperator<DecryptRequest.Builder> change) {
    return Arguments.of(what, code, change);
  }

  static Stream<Arguments> decrypts() {
    Status.Code invalid = Status.Code.INVALID_ARGUMENT;
    return Stream.of(
        decrypt("empty uid", invalid, it -> it.setUid("")),
        decrypt("empty ciphertext", invalid, it -> it.setCiphertext(ByteString.EMPTY)),
        decrypt(
            "oversized ciphertext",
            invalid,
            it -> it.setCiphertext(ByteString.copyFrom(new byte[KmsCiphertext.MAX_BYTES + 1]))),
        decrypt("empty key_id", invalid, it -> it.setKeyId("")),
        decrypt("long key_id", invalid, it -> it.setKeyId("k".repeat(1025))),
        decrypt(
            "foreign annotation",
            invalid,
            it -> it.putAnnotations("version.encryption.remote.io", ByteString.copyFromUtf8("1"))),
        decrypt("no annotation", invalid, DecryptRequest.Builder::clearAnnotations),
        decrypt("key of another keyring", invalid, it -> withKey(it, 1, "another-keyring")),
        decrypt("key of another version", invalid, it -> withKey(it, 2, "ring-of-the-test")),
        decrypt(
            "annotation of no plugin",
            invalid,
            it -> it.putAnnotations(KmsCiphertext.ANNOTATION, ByteString.copyFromUtf8("1234567"))),
        decrypt(
            "oversized annotation",
            invalid,
            it ->
                it.putAnnotations(
                    KmsCiphertext.ANNOTATION,
                    ByteString.copyFrom(new byte[RequestValidator.MAX_ANNOTATIONS]))),
        decrypt(
            "unknown format",
            invalid,
            it -> it.setCiphertext(ByteString.copyFrom(new byte[] {9, 9}))),
        decrypt("cut short", invalid, it -> it.setCiphertext(it.getCiphertext().substring(0, 20))));
  }

  private static DecryptRequest.Builder withKey(
      DecryptRequest.Builder request, int version, String keyringId) {
    ByteString annotation = request.getAnnotationsOrThrow(KmsCiphertext.ANNOTATION);
    ByteString wrapped = WrappedKey.parse(annotation).orElseThrow().wrapped();
    WrappedKey changed = new WrappedKey(new KekVersion(version), keyringId, wrapped);
    return request.putAnnotations(KmsCiphertext.ANNOTATION, ByteString.copyFrom(changed.toBytes()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("decrypts")
  void invalidDecrypt_isRefusedWithoutTheRemote(
      String what, Status.Code code, UnaryOperator<DecryptRequest.Builder> change) {
    EncryptResponse sealed = plugin.encrypt("secret");
    remote.resetCounts();
    check(code, plugin.decryptRefusal(change.apply(KmsPluginFixture.decryptRequestFor(sealed))));
    assertEquals(0, remote.calls(), what);
  }

  @ParameterizedTest
  @EnumSource
  void everyBitFlippedInCiphertext_isRefused(KeyHierarchy hierarchy) {
    KmsPluginFixture either =
        new KmsPluginFixture(folder.resolve("x.json"), remote, hierarchy, KmsPluginFixture.LIMITS)
            .receiveKeystore(keyring.keystore());
    EncryptResponse sealed = either.encrypt("secret");
    for (int bit = 0; bit < sealed.getCiphertext().size() * 8; bit++) {
      DecryptRequest.Builder changed =
          KmsPluginFixture.decryptRequestFor(sealed)
              .setCiphertext(flipBit(sealed.getCiphertext(), bit));
      check(Status.Code.INVALID_ARGUMENT, either.decryptRefusal(changed));
    }
  }

  @Test
  void everyByteChangedInAnnotation_isRefused() {
    EncryptResponse sealed = plugin.encrypt("secret");
    ByteString wrapped = sealed.getAnnotationsOrThrow(KmsCiphertext.ANNOTATION);
    for (int bit = 0; bit < wrapped.size() * 8; bit += 8) {
      DecryptRequest.Builder changed =
          KmsPluginFixture.decryptRequestFor(sealed)
              .putAnnotations(KmsCiphertext.ANNOTATION, flipBit(wrapped, bit));
      check(Status.Code.INVALID_ARGUMENT, plugin.decryptRefusal(changed));
    }
  }

  /// The key_id of another activation of the same key.
  @Test
  void keyIdOfAnotherActivation_isRefused() {
    EncryptResponse sealed = plugin.encrypt("secret");
    plugin.receiveKeystore(keyring.announceAndFlip(2));
    plugin.receiveKeystore(keyring.abort());
    for (String other : List.copyOf(plugin.announcements.get().knownKeyIds().keySet())) {
      if (!other.equals(sealed.getKeyId())) {
        check(
            Status.Code.INVALID_ARGUMENT,
            plugin.decryptRefusal(KmsPluginFixture.decryptRequestFor(sealed).setKeyId(other)));
      }
    }
    assertEquals("secret", plugin.decrypt(sealed));
  }

  /// A value under one local KEK with the annotation of another.
  @Test
  void annotationOfAnotherLocalKek_isRefused() {
    EncryptResponse one = plugin.encrypt("one");
    EncryptResponse two =
        new KmsPluginFixture(folder.resolve("other.json"), remote)
            .receiveKeystore(keyring.keystore())
            .encrypt("two");
    check(
        Status.Code.INVALID_ARGUMENT,
        plugin.decryptRefusal(
            KmsPluginFixture.decryptRequestFor(one).putAllAnnotations(two.getAnnotationsMap())));
  }

  @Test
  void disabledVersion_isRefusedWithoutTheRemote() {
    EncryptResponse sealed = plugin.encrypt("secret");
    keyring.announceAndFlip(2);
    Keystore completed = keyring.complete();
    Roster empty = new Roster(List.of(), Instant.EPOCH);
    var evidence = new VersionRemoval.Evidence(empty, Map.of(), Duration.ofDays(1), Duration.ZERO);
    KeystoreDecision disabled = VersionRemoval.disable(completed, new KekVersion(1), evidence);
    plugin.receiveKeystore(((KeystoreDecision.Accepted) disabled).keystore());
    remote.resetCounts();
    check(
        Status.Code.FAILED_PRECONDITION,
        plugin.decryptRefusal(KmsPluginFixture.decryptRequestFor(sealed)));
    assertEquals(0, remote.calls());
  }

  private static ByteString flipBit(ByteString bytes, int bit) {
    byte[] copy = bytes.toByteArray();
    copy[bit / 8] ^= (byte) (1 << (bit % 8));
    return ByteString.copyFrom(copy);
  }
}
