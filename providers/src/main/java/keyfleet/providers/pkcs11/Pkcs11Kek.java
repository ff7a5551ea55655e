package keyfleet.providers.pkcs11;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.SecretBytes;
import keyfleet.providers.ProviderException;
import org.jspecify.annotations.Nullable;

/// A KEK on a token. The wrapped DEK is a [Pkcs11DekCipher].
///
/// Sessions and handles die: a device is pulled, a connection drops, another provider restarts the
/// module. So whatever fails is tried once more in a fresh session with the key looked up anew.
///
/// At first sight the key seals a value known to us. That box tells two things apart later. A token
/// may answer a wrong tag and a fault of its own with the same code (SoftHSM: CKR_GENERAL_ERROR):
/// data is called bad only while the box still opens. And a label may come to name another key: one
/// that does not open the box is not this KEK.
final class Pkcs11Kek implements Kek {
  private interface KeyOperation<T> {
    T run(Pkcs11Session session, long key);
  }

  private record KeyHandle(int generation, long object) {}

  private static final byte[] PROBE_AAD = "keyfleet probe".getBytes(StandardCharsets.UTF_8);

  private final KekVersion version;
  private final Pkcs11Token token;
  private final Pkcs11Keyring keyring;
  private final Pkcs11DekCipher dekCipher;
  private final byte[] probe;
  private volatile @Nullable KeyHandle keyHandle;

  private Pkcs11Kek(
      KekVersion version,
      Pkcs11Token token,
      Pkcs11Keyring keyring,
      Pkcs11DekCipher dekCipher,
      byte[] probe) {
    this.version = version;
    this.token = token;
    this.keyring = keyring;
    this.dekCipher = dekCipher;
    this.probe = probe;
  }

  /// The KEK whose key is `object`, once that has sealed and opened.
  static Pkcs11Kek create(
      KekVersion version,
      Pkcs11Token token,
      Pkcs11Keyring keyring,
      Pkcs11DekCipher dekCipher,
      Pkcs11Session session,
      long object) {
    Pkcs11Kek kek =
        new Pkcs11Kek(version, token, keyring, dekCipher, sealProbe(dekCipher, session, object));
    kek.verifySameKey(session, object);
    return kek;
  }

  private static byte[] sealProbe(Pkcs11DekCipher dekCipher, Pkcs11Session session, long object) {
    try (Dek known = new Dek(SecretBytes.copyOf(new byte[Dek.BYTES]))) {
      return dekCipher.seal(session, object, known, PROBE_AAD);
    }
  }

  @Override
  public KekVersion version() {
    return version;
  }

  @Override
  public byte[] wrap(Dek dek, byte[] aad) {
    return run(() -> runWithRetry((session, key) -> dekCipher.seal(session, key, dek, aad)));
  }

  @Override
  public Optional<Dek> unwrap(byte[] wrapped, byte[] aad) {
    return Pkcs11DekCipher.isWellFormed(wrapped) ? run(() -> open(wrapped, aad)) : Optional.empty();
  }

  private Optional<Dek> open(byte[] wrapped, byte[] aad) {
    try {
      return Optional.of(
          runWithRetry((session, key) -> dekCipher.open(session, key, wrapped, aad)));
    } catch (CryptokiException e) {
      if (isRefusal(e)) {
        return Optional.empty();
      }
      if (!isAmbiguous(e)) {
        throw e;
      }
      token.withFreshSession(this::findObject); // throws unless the probe opens
      return Optional.empty();
    }
  }

  private static boolean isRefusal(CryptokiException e) {
    return e.isFrom(Cryptoki.Function.C_DECRYPT)
        && (e.is(CryptokiResult.ENCRYPTED_DATA_INVALID)
            || e.is(CryptokiResult.ENCRYPTED_DATA_LEN_RANGE)
            || e.is(CryptokiResult.AEAD_DECRYPT_FAILED));
  }

  private static boolean isAmbiguous(CryptokiException e) {
    return e.isFrom(Cryptoki.Function.C_DECRYPT)
        && (e.is(CryptokiResult.GENERAL_ERROR) || e.is(CryptokiResult.FUNCTION_FAILED));
  }

  private <T> T runWithRetry(KeyOperation<T> operation) {
    try {
      return token.withSession(session -> operation.run(session, currentObject(session)));
    } catch (CryptokiException e) {
      if (isRefusal(e)) {
        throw e;
      }
      return token.withFreshSession(session -> operation.run(session, findObject(session)));
    }
  }

  private long currentObject(Pkcs11Session session) {
    KeyHandle last = keyHandle;
    return last != null && last.generation() == session.generation()
        ? last.object()
        : findObject(session);
  }

  private long findObject(Pkcs11Session session) {
    try {
      long object = keyring.find(session, version);
      verifySameKey(session, object);
      return object;
    } catch (CryptokiException e) {
      throw unavailable(e);
    }
  }

  /// Checks that `object` is the key that sealed the probe, and remembers its place.
  void verifySameKey(Pkcs11Session session, long object) {
    try {
      dekCipher.open(session, object, probe, PROBE_AAD).close();
      keyHandle = new KeyHandle(session.generation(), object);
    } catch (CryptokiException e) {
      keyHandle = null;
      byte[] second = sealProbe(dekCipher, session, object); // throws if it is the token that fails
      dekCipher.open(session, object, second, PROBE_AAD).close();
      throw new ProviderException(
          "key "
              + keyring.label(version)
              + " on token "
              + token.label()
              + " was replaced by another",
          "put the old key back, and give the new one the next version",
          e);
    }
  }

  /// What is wrong with a token's setup is for `load` to say; here the key just cannot be used.
  private <T> T run(Supplier<T> work) {
    try {
      return token.run(work);
    } catch (ProviderException e) {
      throw unavailable(e);
    }
  }

  private KekUnavailableException unavailable(RuntimeException e) {
    return new KekUnavailableException(
        "KEK " + version + " on token " + token.label() + ": " + e.getMessage(), e);
  }
}
