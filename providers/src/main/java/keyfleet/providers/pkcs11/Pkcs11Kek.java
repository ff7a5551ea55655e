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
    T of(Pkcs11Session session, long key);
  }

  private record KeyHandle(int generation, long object) {}

  private static final byte[] PROBE_AAD = "keyfleet probe".getBytes(StandardCharsets.UTF_8);

  private final KekVersion version;
  private final Pkcs11Token token;
  private final Pkcs11Keyring ring;
  private final Pkcs11DekCipher box;
  private final byte[] probe;
  private volatile @Nullable KeyHandle place;

  private Pkcs11Kek(
      KekVersion version,
      Pkcs11Token token,
      Pkcs11Keyring ring,
      Pkcs11DekCipher box,
      byte[] probe) {
    this.version = version;
    this.token = token;
    this.ring = ring;
    this.box = box;
    this.probe = probe;
  }

  /// The KEK whose key is `object`, once that has sealed and opened.
  static Pkcs11Kek meet(
      KekVersion version,
      Pkcs11Token token,
      Pkcs11Keyring ring,
      Pkcs11DekCipher box,
      Pkcs11Session session,
      long object) {
    Pkcs11Kek kek = new Pkcs11Kek(version, token, ring, box, sealProbe(box, session, object));
    kek.recognise(session, object);
    return kek;
  }

  private static byte[] sealProbe(Pkcs11DekCipher box, Pkcs11Session session, long object) {
    try (Dek known = new Dek(SecretBytes.copyOf(new byte[Dek.BYTES]))) {
      return box.seal(session, object, known, PROBE_AAD);
    }
  }

  @Override
  public KekVersion version() {
    return version;
  }

  @Override
  public byte[] wrap(Dek dek, byte[] aad) {
    return run(() -> twice((session, key) -> box.seal(session, key, dek, aad)));
  }

  @Override
  public Optional<Dek> unwrap(byte[] wrapped, byte[] aad) {
    return Pkcs11DekCipher.isWellFormed(wrapped) ? run(() -> open(wrapped, aad)) : Optional.empty();
  }

  private Optional<Dek> open(byte[] wrapped, byte[] aad) {
    try {
      return Optional.of(twice((session, key) -> box.open(session, key, wrapped, aad)));
    } catch (CryptokiException e) {
      if (isRefusal(e)) {
        return Optional.empty();
      }
      if (!isAmbiguous(e)) {
        throw e;
      }
      token.withFreshSession(this::find); // throws unless the probe opens
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

  private <T> T twice(KeyOperation<T> use) {
    try {
      return token.withSession(session -> use.of(session, key(session)));
    } catch (CryptokiException e) {
      if (isRefusal(e)) {
        throw e;
      }
      return token.withFreshSession(session -> use.of(session, find(session)));
    }
  }

  private long key(Pkcs11Session session) {
    KeyHandle last = place;
    return last != null && last.generation() == session.generation()
        ? last.object()
        : find(session);
  }

  private long find(Pkcs11Session session) {
    try {
      long object = ring.find(session, version);
      recognise(session, object);
      return object;
    } catch (CryptokiException e) {
      throw unavailable(e);
    }
  }

  /// Checks that `object` is the key that sealed the probe, and remembers its place.
  void recognise(Pkcs11Session session, long object) {
    try {
      box.open(session, object, probe, PROBE_AAD).close();
      place = new KeyHandle(session.generation(), object);
    } catch (CryptokiException e) {
      place = null;
      byte[] second = sealProbe(box, session, object); // throws if it is the token that fails
      box.open(session, object, second, PROBE_AAD).close();
      throw new ProviderException(
          "key " + ring.label(version) + " on token " + token.label() + " was replaced by another",
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
