package keyfleet.providers.pkcs11;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import keyfleet.crypto.SecretAccess;
import keyfleet.crypto.SecretBytes;
import keyfleet.providers.ProviderException;

/// Logs in to the tokens of one module. PKCS#11 has one login per process and token, and answers
/// CKR_USER_ALREADY_LOGGED_IN to *any* later PIN. So this class remembers a digest of the accepted
/// PIN, and compares every later PIN with it.
///
/// It also remembers a refused PIN and never tries it twice: a loop that did would lock the token.
final class Pkcs11Login {
  private static final String DIGEST = "SHA-256";
  private static final int SALT_BYTES = 32;

  /// Random in each process, so that a digest means nothing outside of it.
  private final byte[] salt = new byte[SALT_BYTES];

  private final Map<String, String> acceptedDigests = new HashMap<>();
  private final Set<String> refusedDigests = new HashSet<>();

  Pkcs11Login(SecureRandom random) {
    random.nextBytes(salt);
  }

  /// Forgets the accepted PINs, because a restart of the module has ended all logins.
  synchronized void forget() {
    acceptedDigests.clear();
  }

  /// Tries the PIN at most once.
  synchronized void login(Pkcs11Session session, String token, SecretBytes pin) {
    byte[] bytes = pin.reveal(SecretAccess.granted());
    try {
      String pinDigest = pinDigest(token, bytes);
      if (refusedDigests.contains(pinDigest)) {
        throw refusedBefore(token);
      }
      tryPin(session, token, bytes, pinDigest);
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  private void tryPin(Pkcs11Session session, String token, byte[] pin, String pinDigest) {
    try {
      session.cryptoki().login(session.handle(), pin);
      acceptedDigests.put(token, pinDigest);
    } catch (CryptokiException e) {
      if (!e.is(CryptokiResult.USER_ALREADY_LOGGED_IN)) {
        throw translate(e, token, pinDigest);
      }
      if (!pinDigest.equals(acceptedDigests.get(token))) {
        throw acceptedDigests.containsKey(token) ? otherPin(token) : foreignLogin(token);
      }
    }
  }

  private RuntimeException translate(CryptokiException e, String token, String pinDigest) {
    if (e.is(CryptokiResult.PIN_INCORRECT)
        || e.is(CryptokiResult.PIN_INVALID)
        || e.is(CryptokiResult.PIN_LEN_RANGE)) {
      refusedDigests.add(pinDigest);
      return new ProviderException(
          "token " + token + " refused the PIN; some tokens lock after three wrong ones",
          "correct the PIN file; the same PIN is not tried again by this process",
          e);
    }
    if (e.is(CryptokiResult.PIN_LOCKED)) {
      return new ProviderException(
          "token " + token + " is locked after too many wrong PINs",
          "have the security officer set a new user PIN",
          e);
    }
    if (e.is(CryptokiResult.USER_PIN_NOT_INITIALIZED)) {
      return new ProviderException(
          "token " + token + " has no user PIN yet",
          "have the security officer set it with the token's own tool",
          e);
    }
    return e;
  }

  private static ProviderException refusedBefore(String token) {
    return new ProviderException(
        "token " + token + " refused this PIN before, and it is not tried again: tokens lock",
        "correct the PIN file; restart to try the same PIN again");
  }

  private static ProviderException otherPin(String token) {
    return new ProviderException(
        "the PIN is not the one with which this process is logged in to token " + token,
        "correct the PIN file");
  }

  private static ProviderException foreignLogin(String token) {
    return new ProviderException(
        "other code in this process has logged in to token " + token + ": no PIN can be checked",
        "let no other library use the PKCS#11 module in this process");
  }

  private String pinDigest(String token, byte[] pin) {
    try {
      MessageDigest digest = MessageDigest.getInstance(DIGEST);
      digest.update(salt);
      digest.update(pin);
      return token + '\n' + HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has " + DIGEST, e);
    }
  }
}
