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

/// A KEK on a token. [Pkcs11DekCipher] defines the form of a wrapped DEK.
///
/// Sessions and handles die: a device is unplugged, a connection drops, another provider restarts
/// the module. So every failed operation is repeated once in a fresh session, after a new search
/// for the key.
///
/// When the key is first seen, it seals a known value, the probe. The probe later decides two
/// questions. A token may report a wrong tag and a fault of its own with the same code (SoftHSM:
/// CKR_GENERAL_ERROR): data is called bad only if the probe still opens. And a label may come to
/// name another key: a key that does not open the probe is not this KEK.
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

  /// The KEK with the key `object`, after that key has sealed and opened the probe.
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

  /// Checks that `object` is the key that sealed the probe, and remembers its handle.
  void verifySameKey(Pkcs11Session session, long object) {
    try {
      dekCipher.open(session, object, probe, PROBE_AAD).close();
      keyHandle = new KeyHandle(session.generation(), object);
    } catch (CryptokiException e) {
      keyHandle = null;
      byte[] second = sealProbe(dekCipher, session, object); // throws if the token fails
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

  /// `load` reports what is wrong with the setup of a token; here the key is just unavailable.
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
