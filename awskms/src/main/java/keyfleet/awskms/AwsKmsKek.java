package keyfleet.awskms;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.SecretAccess;
import keyfleet.crypto.SecretBytes;
import keyfleet.providers.ProviderException;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.kms.model.DecryptRequest;
import software.amazon.awssdk.services.kms.model.EncryptRequest;
import software.amazon.awssdk.services.kms.model.IncorrectKeyException;
import software.amazon.awssdk.services.kms.model.InvalidCiphertextException;

/// A KEK that is a KMS key, addressed by its own id, so that moving an alias changes nothing here.
/// The wrapped DEK is the ciphertext of KMS. The additional data is passed as its SHA-256, because
/// KMS accepts less of it than needed and writes it into logs.
final class AwsKmsKek implements Kek {
  /// KMS returns less than 250 bytes for a DEK of 32.
  static final int MAX_WRAPPED_BYTES = 512;

  private final KeyringName keyring;
  private final KekVersion version;
  private final String id;
  private final AwsKmsClient client;

  AwsKmsKek(KeyringName keyring, KekVersion version, String id, AwsKmsClient client) {
    this.keyring = keyring;
    this.version = version;
    this.id = id;
    this.client = client;
  }

  @Override
  public KekVersion version() {
    return version;
  }

  String id() {
    return id;
  }

  @Override
  public byte[] wrap(Dek dek, byte[] aad) {
    byte[] plain = dek.bytes().reveal(SecretAccess.granted());
    try {
      EncryptRequest.Builder request =
          EncryptRequest.builder()
              .keyId(id)
              .plaintext(SdkBytes.fromByteArrayUnsafe(plain))
              .encryptionContext(encryptionContext(aad));
      return requireStorable(
          run(() ->
              client
                  .callWithKey(
                      id,
                      configuration ->
                          client
                              .client()
                              .encrypt(request.overrideConfiguration(configuration).build()))
                  .ciphertextBlob()));
    } finally {
      Arrays.fill(plain, (byte) 0);
    }
  }

  private byte[] requireStorable(SdkBytes wrapped) {
    byte[] bytes = wrapped.asByteArray();
    if (bytes.length == 0 || bytes.length > MAX_WRAPPED_BYTES) {
      throw new KekUnavailableException(
          "KMS key "
              + id
              + " wrapped a key into "
              + bytes.length
              + " bytes; "
              + MAX_WRAPPED_BYTES
              + " are the limit");
    }
    return bytes;
  }

  @Override
  public Optional<Dek> unwrap(byte[] wrapped, byte[] aad) {
    if (wrapped.length == 0 || wrapped.length > MAX_WRAPPED_BYTES) {
      return Optional.empty();
    }
    DecryptRequest.Builder request =
        DecryptRequest.builder()
            .keyId(id)
            .ciphertextBlob(SdkBytes.fromByteArray(wrapped))
            .encryptionContext(encryptionContext(aad));
    try {
      return toDek(
          run(() ->
              client
                  .callWithKey(
                      id,
                      configuration ->
                          client
                              .client()
                              .decrypt(request.overrideConfiguration(configuration).build()))
                  .plaintext()));
    } catch (InvalidCiphertextException | IncorrectKeyException e) {
      return Optional.empty();
    }
  }

  private static Optional<Dek> toDek(SdkBytes plain) {
    byte[] bytes = plain.asByteArrayUnsafe();
    try {
      return bytes.length == Dek.BYTES
          ? Optional.of(new Dek(SecretBytes.copyOf(bytes)))
          : Optional.empty();
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  /// The name of the keyring is readable, so that a policy can refer to it.
  private Map<String, String> encryptionContext(byte[] aad) {
    return Map.of(
        "keyfleet-keyring", keyring.value(),
        "keyfleet-aad", Base64.getEncoder().encodeToString(sha256(aad)));
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /// `load` reports what is wrong with the setup; here the key is just unavailable.
  private <T> T run(Supplier<T> work) {
    try {
      return work.get();
    } catch (ProviderException e) {
      throw new KekUnavailableException(e.getMessage(), e);
    }
  }
}
