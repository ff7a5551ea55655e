package keyfleet.providers.vault;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.SecretAccess;
import keyfleet.crypto.SecretBytes;
import keyfleet.providers.ProviderException;

/// One version of a Transit key. The wrapped DEK is a [TransitCiphertext]; the additional data is
/// passed on as it is.
///
/// A version is identified by its creation time: the same number with another creation time is
/// another key, which this KEK refuses to use.
final class VaultKek implements Kek {
  private final KekVersion version;
  private final long creationTime;
  private final VaultSettings settings;
  private final VaultClient client;
  private volatile boolean replaced;

  VaultKek(KekVersion version, long creationTime, VaultSettings settings, VaultClient client) {
    this.version = version;
    this.creationTime = creationTime;
    this.settings = settings;
    this.client = client;
  }

  @Override
  public KekVersion version() {
    return version;
  }

  /// Checks that the version with this number is still the one that was loaded first.
  void verifySameVersion(long currentCreationTime) {
    replaced = currentCreationTime != creationTime;
    if (replaced) {
      throw new ProviderException(
          subject() + " was replaced by another", "restore the old key from the server's backup");
    }
  }

  @Override
  public byte[] wrap(Dek dek, byte[] aad) {
    return run(() -> {
      byte[] body = encryptBody(dek, aad);
      try (VaultResponse response = client.send(writeRequest("encrypt", body))) {
        return ciphertextOf(response);
      } finally {
        Arrays.fill(body, (byte) 0);
      }
    });
  }

  @Override
  public Optional<Dek> unwrap(byte[] wrapped, byte[] aad) {
    Optional<String> text = TransitCiphertext.parse(wrapped, version);
    return text.isEmpty() ? Optional.empty() : run(() -> decrypt(text.get(), aad));
  }

  private Optional<Dek> decrypt(String ciphertext, byte[] aad) {
    byte[] body =
        ascii(
            "{\"ciphertext\":\"%s\",\"associated_data\":\"%s\"}"
                .formatted(ciphertext, Base64.getEncoder().encodeToString(aad)));
    try (VaultResponse response = client.send(writeRequest("decrypt", body))) {
      if (response.isOk()) {
        SecretBytes plain =
            response.body().decodeSecret("/data/plaintext").orElseThrow(this::unexpectedResponse);
        return toDek(plain);
      }
      if (isRefusal(response)) {
        return Optional.empty();
      }
      throw failureOf(response);
    }
  }

  private static Optional<Dek> toDek(SecretBytes plain) {
    if (plain.length() == Dek.BYTES) {
      return Optional.of(new Dek(plain));
    }
    plain.close();
    return Optional.empty();
  }

  private static boolean isRefusal(VaultResponse response) {
    return response.status() == VaultResponse.BAD_REQUEST
        && (response.hasError("message authentication failed")
            || response.hasError("invalid ciphertext length")
            || response.hasError("could not decode base64"));
  }

  /// The ciphertext that Transit returned, if the requested version made it.
  private byte[] ciphertextOf(VaultResponse response) {
    if (!response.isOk()) {
      throw failureOf(response);
    }
    byte[] text =
        ascii(response.body().text("/data/ciphertext").orElseThrow(this::unexpectedResponse));
    if (TransitCiphertext.parse(text, version).isEmpty()) {
      throw unexpectedResponse();
    }
    return text;
  }

  private byte[] encryptBody(Dek dek, byte[] aad) {
    byte[] plain = dek.bytes().reveal(SecretAccess.granted());
    byte[] encoded = Base64.getEncoder().encode(plain);
    byte[] head =
        ascii(
            "{\"key_version\":%d,\"associated_data\":\"%s\",\"plaintext\":\""
                .formatted(version.number(), Base64.getEncoder().encodeToString(aad)));
    byte[] body = Arrays.copyOf(head, head.length + encoded.length + 2);
    System.arraycopy(encoded, 0, body, head.length, encoded.length);
    body[body.length - 2] = '"';
    body[body.length - 1] = '}';
    Arrays.fill(plain, (byte) 0);
    Arrays.fill(encoded, (byte) 0);
    return body;
  }

  private VaultRequest writeRequest(String operation, byte[] body) {
    return new VaultRequest.Write(
        "%s/%s/%s".formatted(settings.mount(), operation, settings.key()), body);
  }

  private KekUnavailableException failureOf(VaultResponse response) {
    if (response.hasError("too old") || response.hasError("no such key version")) {
      return unavailable(
          "cannot be used: the key's min_decryption_version was raised above it;"
              + " lower it again while anything is wrapped under "
              + version);
    }
    if (response.hasError("minimum encryption key version")) {
      return unavailable("only decrypts: the key's min_encryption_version was raised above it");
    }
    if (response.hasError("too new") || response.hasError("higher than the latest")) {
      return unavailable("is unknown to the server; perhaps it was restored from a backup");
    }
    if (response.hasError("key not found")) {
      return unavailable("is gone: the key was deleted");
    }
    return unavailable("cannot be used: the server answered " + response.status());
  }

  private KekUnavailableException unexpectedResponse() {
    return unavailable("cannot be used: the server gave an answer that Transit does not give");
  }

  /// `load` reports what is wrong with the setup; here the key is just unavailable.
  private <T> T run(Supplier<T> work) {
    if (replaced) {
      throw unavailable("was replaced by another");
    }
    try {
      return work.get();
    } catch (ProviderException e) {
      throw new KekUnavailableException(e.getMessage(), e);
    }
  }

  private KekUnavailableException unavailable(String reason) {
    return new KekUnavailableException(subject() + " " + reason);
  }

  private String subject() {
    return "version " + version.number() + " of Transit key " + settings.keyDescription();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
