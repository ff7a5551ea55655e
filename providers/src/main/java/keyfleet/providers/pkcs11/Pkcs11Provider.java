package keyfleet.providers.pkcs11;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyfleetException;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.KekProvider;
import keyfleet.providers.KeyDeletion;
import keyfleet.providers.ProviderException;

/// KEKs on a PKCS#11 token. Nothing is touched before the first `load`, which logs in.
///
/// A missing token is a failure, never an empty result. When it is back, the next `load` finds it,
/// and the KEKs that were returned before work again.
public final class Pkcs11Provider implements KekProvider {
  public static final String NAME = "pkcs11";

  private static final int ID_BYTES = 16;

  private final Pkcs11Token token;
  private final Pkcs11Keyring keyring;
  private final Pkcs11DekCipher dekCipher;
  private final SecureRandom random;

  /// Never removed: a version that comes back must be the same key.
  private final Map<KekVersion, Pkcs11Kek> knownKeks = new TreeMap<>();

  public Pkcs11Provider(KeyringName keyring, Pkcs11Settings settings, SecureRandom random) {
    this(keyring, new Pkcs11Token(settings, Pkcs11ModuleRegistry.processWide()), random);
  }

  Pkcs11Provider(KeyringName keyring, Pkcs11Token token, SecureRandom random) {
    this.token = token;
    this.keyring = new Pkcs11Keyring(keyring, token.label());
    this.dekCipher = new Pkcs11DekCipher(new CryptokiGcm(), random);
    this.random = random;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public KekSet load() {
    try {
      return token.run(this::loadKeks);
    } catch (KekUnavailableException e) {
      token.restart();
      return token.run(this::loadKeks);
    }
  }

  private KekSet loadKeks() {
    return token.withFreshSession(session -> {
      Map<KekVersion, Long> objects = keyring.list(session);
      token.checkPresent(session);
      return KekSet.of(keyring.keyring(), toKeks(session, objects));
    });
  }

  /// Locked, because a `load` that timed out may still be running.
  private List<Kek> toKeks(Pkcs11Session session, Map<KekVersion, Long> objects) {
    synchronized (knownKeks) {
      List<Kek> keks = new ArrayList<>();
      objects.forEach((version, object) -> keks.add(kekFor(session, version, object)));
      return keks;
    }
  }

  private Pkcs11Kek kekFor(Pkcs11Session session, KekVersion version, long object) {
    Pkcs11Kek known = knownKeks.get(version);
    if (known != null) {
      known.verifySameKey(session, object);
      return known;
    }
    Pkcs11Kek kek = Pkcs11Kek.create(version, token, keyring, dekCipher, session, object);
    knownKeks.put(version, kek);
    return kek;
  }

  /// Generates the key of a new version on the token; `load` then finds it. Never touches an
  /// existing key.
  ///
  /// Two processes may do so at once. SoftHSM can hide the key of one from the other until it is
  /// restarted, hence the restart before the check for duplicates. A PIN from a descriptor cannot
  /// be read again: then the check is done without the restart, and `load` refuses a duplicate that
  /// it missed.
  public void generate(KekVersion version) {
    byte[] id = new byte[ID_BYTES];
    random.nextBytes(id);
    inSession(session -> keyring.generateKey(session, version, id));
    if (token.canRestart()) {
      reconnectAfterGenerating(version);
    }
    inSession(session -> keyring.resolveDuplicates(session, version, id));
  }

  private void reconnectAfterGenerating(KekVersion version) {
    try {
      token.restart();
      inSession(_ -> {});
    } catch (KeyfleetException e) {
      throw new ProviderException(
          "key "
              + keyring.label(version)
              + " was generated, but it could not be checked that it is the only one: "
              + e.getMessage(),
          "keyfleet kek pkcs11-init --version=" + version.number() + " again, to check it",
          e);
    }
  }

  /// Destroys the object on the token, for every host that uses the token.
  @Override
  public KeyDeletion prepareDeletion(KekVersion version, Set<KekVersion> kept) {
    String key = "key %s on token %s".formatted(keyring.label(version), token.label());
    return new KeyDeletion.Possible(
        key,
        () -> {
          inSession(session -> keyring.destroyKey(session, version));
          return "destroyed " + key;
        });
  }

  private void inSession(Consumer<Pkcs11Session> work) {
    token.run(() ->
        token.withSession(session -> {
          work.accept(session);
          return session;
        }));
  }

  @Override
  public void close() {
    token.close();
  }
}
