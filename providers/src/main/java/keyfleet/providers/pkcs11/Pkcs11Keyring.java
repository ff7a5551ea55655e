package keyfleet.providers.pkcs11;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.ProviderException;

/// The keys of one keyring on a token: labelled `keyfleet-<ring>-v<N>`, AES-256, for encryption and
/// decryption, and never readable.
final class Pkcs11Keyring {
  /// A token with more secret keys than this is refused instead of being searched.
  private static final int MAX_KEYS = 4096;

  private static final int KEY_BYTES = 32;

  private final KeyringName keyring;
  private final String token;

  Pkcs11Keyring(KeyringName keyring, String token) {
    this.keyring = keyring;
    this.token = token;
  }

  KeyringName keyring() {
    return keyring;
  }

  String label(KekVersion version) {
    return "keyfleet-" + keyring + "-" + version;
  }

  private Optional<KekVersion> versionOf(String label) {
    String prefix = "keyfleet-" + keyring + "-v";
    return label.startsWith(prefix)
        ? KekVersion.parse(label.substring(prefix.length()))
        : Optional.empty();
  }

  /// Every version on the token, with its object. A key that breaks a rule is refused instead of
  /// left out, because the operator who created it expects it to be used.
  Map<KekVersion, Long> list(Pkcs11Session session) {
    long[] objects = session.cryptoki().find(session.handle(), secretKeyTemplate(), MAX_KEYS + 1);
    if (objects.length > MAX_KEYS) {
      throw new ProviderException(
          "token " + token + " holds over " + MAX_KEYS + " secret keys",
          "give Keyfleet a token of its own");
    }
    Map<KekVersion, Long> byVersion = new TreeMap<>();
    for (long object : objects) {
      CryptokiAttributes key = read(session, object);
      String label = key.text(CryptokiAttributes.CKA_LABEL);
      versionOf(label).ifPresent(version -> add(byVersion, version, object, key));
    }
    return byVersion;
  }

  private void add(
      Map<KekVersion, Long> byVersion, KekVersion version, long object, CryptokiAttributes key) {
    if (byVersion.put(version, object) != null) {
      throw duplicateKeys(label(version));
    }
    check(label(version), key);
  }

  private void check(String label, CryptokiAttributes key) {
    boolean aes256 =
        key.number(CryptokiAttributes.CKA_KEY_TYPE) == CryptokiAttributes.CKK_AES
            && key.number(CryptokiAttributes.CKA_VALUE_LEN) == KEY_BYTES;
    if (!aes256) {
      throw invalidKey(label, "is not an AES key of 32 bytes");
    }
    if (!key.isClear(CryptokiAttributes.CKA_EXTRACTABLE)) {
      throw invalidKey(label, "is extractable; a KEK must not be (CKA_EXTRACTABLE false)");
    }
    if (!key.isSet(CryptokiAttributes.CKA_SENSITIVE)) {
      throw invalidKey(label, "is not sensitive; a KEK must be (CKA_SENSITIVE true)");
    }
    if (!key.isSet(CryptokiAttributes.CKA_ENCRYPT) || !key.isSet(CryptokiAttributes.CKA_DECRYPT)) {
      throw invalidKey(label, "may not encrypt and decrypt (CKA_ENCRYPT, CKA_DECRYPT true)");
    }
  }

  private ProviderException invalidKey(String label, String problem) {
    return new ProviderException(
        "key " + label + " on token " + token + " " + problem,
        "remove it from the token, and create the version with: keyfleet kek pkcs11-init");
  }

  private ProviderException duplicateKeys(String label) {
    return new ProviderException(
        "token "
            + token
            + " has two keys labelled "
            + label
            + "; Keyfleet cannot tell which one is right",
        "find out with the token's own tool which key sealed data, and relabel the other");
  }

  /// The only object with the label of the version.
  long find(Pkcs11Session session, KekVersion version) {
    long[] objects = findByLabel(session, version);
    if (objects.length > 1) {
      throw duplicateKeys(label(version));
    }
    if (objects.length == 0) {
      throw new ProviderException(
          "key " + label(version) + " is not on token " + token + ", or the token is gone",
          "reconnect the token");
    }
    return objects[0];
  }

  /// Generates the key of a new version. Nothing on the token is ever replaced.
  void generateKey(Pkcs11Session session, KekVersion version, byte[] id) {
    if (findByLabel(session, version).length > 0) {
      throw new ProviderException(
          "token " + token + " already has a key labelled " + label(version),
          "choose the next version: keyfleet kek pkcs11-init --version=" + (version.number() + 1));
    }
    session.cryptoki().generateKey(session.handle(), newKeyTemplate(version, id));
  }

  /// Checks that the new key is the only one with its label. If another process created one at the
  /// same time, the own key, known by its `id`, is destroyed. Two racing processes may both destroy
  /// theirs, but at least one does.
  void resolveDuplicates(Pkcs11Session session, KekVersion version, byte[] id) {
    int sameLabel = findByLabel(session, version).length;
    if (sameLabel == 0) {
      throw new KekUnavailableException(
          "token " + token + " lost the key that it has just generated");
    }
    if (sameLabel > 1) {
      destroyOwnKey(session, version, id);
      throw new ProviderException(
          "another process generated a key labelled " + label(version) + " on token " + token,
          "keyfleet kek pkcs11-init --version="
              + version.number()
              + " again, to see which key remains");
    }
  }

  /// Destroys the only key of a version.
  void destroyKey(Pkcs11Session session, KekVersion version) {
    session.cryptoki().destroy(session.handle(), find(session, version));
  }

  private void destroyOwnKey(Pkcs11Session session, KekVersion version, byte[] id) {
    CryptokiTemplate ownKey =
        secretKeyTemplate()
            .text(CryptokiAttributes.CKA_LABEL, label(version))
            .bytes(CryptokiAttributes.CKA_ID, id);
    long[] found = session.cryptoki().find(session.handle(), ownKey, 2);
    if (found.length == 1) {
      session.cryptoki().destroy(session.handle(), found[0]);
    }
  }

  private long[] findByLabel(Pkcs11Session session, KekVersion version) {
    CryptokiTemplate wanted =
        secretKeyTemplate().text(CryptokiAttributes.CKA_LABEL, label(version));
    return session.cryptoki().find(session.handle(), wanted, 2);
  }

  private static CryptokiTemplate secretKeyTemplate() {
    return new CryptokiTemplate()
        .number(CryptokiAttributes.CKA_CLASS, CryptokiAttributes.CKO_SECRET_KEY)
        .withTrue(CryptokiAttributes.CKA_TOKEN);
  }

  private CryptokiTemplate newKeyTemplate(KekVersion version, byte[] id) {
    return secretKeyTemplate()
        .number(CryptokiAttributes.CKA_KEY_TYPE, CryptokiAttributes.CKK_AES)
        .number(CryptokiAttributes.CKA_VALUE_LEN, KEY_BYTES)
        .text(CryptokiAttributes.CKA_LABEL, label(version))
        .bytes(CryptokiAttributes.CKA_ID, id)
        .withTrue(CryptokiAttributes.CKA_PRIVATE, CryptokiAttributes.CKA_SENSITIVE)
        .withTrue(CryptokiAttributes.CKA_ENCRYPT, CryptokiAttributes.CKA_DECRYPT)
        .withFalse(CryptokiAttributes.CKA_EXTRACTABLE, CryptokiAttributes.CKA_DERIVE)
        .withFalse(CryptokiAttributes.CKA_WRAP, CryptokiAttributes.CKA_UNWRAP)
        .withFalse(CryptokiAttributes.CKA_SIGN, CryptokiAttributes.CKA_VERIFY);
  }

  private static CryptokiAttributes read(Pkcs11Session session, long object) {
    return session
        .cryptoki()
        .attributes(
            session.handle(),
            object,
            CryptokiAttributes.CKA_LABEL,
            CryptokiAttributes.CKA_KEY_TYPE,
            CryptokiAttributes.CKA_VALUE_LEN,
            CryptokiAttributes.CKA_EXTRACTABLE,
            CryptokiAttributes.CKA_SENSITIVE,
            CryptokiAttributes.CKA_ENCRYPT,
            CryptokiAttributes.CKA_DECRYPT);
  }
}
