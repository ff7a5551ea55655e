package keyfleet.crypto;

import static keyfleet.crypto.CryptoListener.Outcome.NO_SUCH_VERSION;
import static keyfleet.crypto.CryptoListener.Outcome.OK;
import static keyfleet.crypto.CryptoListener.Outcome.REFUSED;
import static keyfleet.crypto.CryptoListener.Outcome.UNAVAILABLE;

import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import keyfleet.crypto.CryptoListener.Operation;
import keyfleet.crypto.CryptoListener.Outcome;
import keyfleet.crypto.OpenResult.Opened;
import keyfleet.crypto.RewrapResult.Rewrapped;
import keyfleet.crypto.SealResult.Sealed;

/// Seals, opens and rewraps the values of one keyring. The caller always names the version: nothing
/// here falls back to another key.
public final class EnvelopeCipher {
  private static final CipherSuite SUITE = CipherSuite.HKDF_SHA512_AES256_GCM;

  private final KekSet kekSet;
  private final SecureRandom random;
  private final CryptoListener listener;

  public EnvelopeCipher(KekSet kekSet, SecureRandom random) {
    this(kekSet, random, CryptoListener.NONE);
  }

  public EnvelopeCipher(KekSet kekSet, SecureRandom random, CryptoListener listener) {
    this.kekSet = kekSet;
    this.random = random;
    this.listener = listener;
  }

  public KeyringName keyring() {
    return kekSet.keyring();
  }

  Optional<Kek> kek(KekVersion version) {
    return kekSet.find(version);
  }

  public SealResult seal(KekVersion version, FieldLocation location, SecretBytes plaintext) {
    if (plaintext.length() > Envelope.MAX_PLAINTEXT) {
      throw new IllegalArgumentException(
          "a value has at most " + Envelope.MAX_PLAINTEXT + " bytes, not " + plaintext.length());
    }
    long startedAt = listener.startTime();
    try {
      SealResult result = sealUnobserved(version, location, plaintext);
      listener.onFinished(
          Operation.SEAL, version, result instanceof Sealed ? OK : NO_SUCH_VERSION, startedAt);
      return result;
    } catch (KekUnavailableException e) {
      listener.onFinished(Operation.SEAL, version, UNAVAILABLE, startedAt);
      throw e;
    }
  }

  private SealResult sealUnobserved(
      KekVersion version, FieldLocation location, SecretBytes plaintext) {
    Optional<Kek> kek = kekSet.find(version);
    if (kek.isEmpty()) {
      return new NoSuchVersion(version);
    }
    try (Dek dek = Dek.random(random)) {
      byte[] wrapped = kek.get().wrap(dek, wrapAad(SUITE, version, location));
      byte[] data =
          DerivedKeyAead.seal(dataKeyDerivation(dek), dataAad(SUITE, location), plaintext, random);
      return new Sealed(new Envelope(SUITE, version, wrapped, data));
    }
  }

  public OpenResult open(FieldLocation location, byte[] bytes) {
    Optional<Envelope> parsed = Envelope.parse(bytes);
    return parsed.isPresent() ? open(location, parsed.get()) : new Refused();
  }

  private static Outcome outcomeOf(OpenResult result) {
    if (result instanceof Opened) {
      return OK;
    }
    return result instanceof NoSuchVersion ? NO_SUCH_VERSION : REFUSED;
  }

  public OpenResult open(FieldLocation location, Envelope envelope) {
    long startedAt = listener.startTime();
    try {
      OpenResult result = openUnobserved(location, envelope);
      listener.onFinished(Operation.OPEN, envelope.version(), outcomeOf(result), startedAt);
      return result;
    } catch (KekUnavailableException e) {
      listener.onFinished(Operation.OPEN, envelope.version(), UNAVAILABLE, startedAt);
      throw e;
    }
  }

  private OpenResult openUnobserved(FieldLocation location, Envelope envelope) {
    Optional<Kek> kek = kekSet.find(envelope.version());
    if (kek.isEmpty()) {
      return new NoSuchVersion(envelope.version());
    }
    Optional<Dek> unwrapped = unwrap(kek.get(), location, envelope);
    if (unwrapped.isEmpty()) {
      return new Refused();
    }
    try (Dek dek = unwrapped.get()) {
      byte[] aad = dataAad(envelope.cipherSuite(), location);
      Optional<SecretBytes> plain =
          DerivedKeyAead.open(dataKeyDerivation(dek), aad, envelope.data());
      return plain.isPresent() ? new Opened(plain.get(), envelope.version()) : new Refused();
    }
  }

  /// Moves an envelope from its present version to `target`. It works on the DEK alone: the
  /// plaintext is never seen, and the data bytes stay as they are.
  public RewrapResult rewrap(FieldLocation location, Envelope envelope, KekVersion target) {
    long startedAt = listener.startTime();
    try {
      RewrapResult result = rewrapUnobserved(location, envelope, target);
      Outcome outcome =
          switch (result) {
            case Rewrapped _ -> OK;
            case NoSuchVersion _ -> NO_SUCH_VERSION;
            case Refused _ -> REFUSED;
          };
      listener.onFinished(Operation.REWRAP, target, outcome, startedAt);
      return result;
    } catch (KekUnavailableException e) {
      listener.onFinished(Operation.REWRAP, target, UNAVAILABLE, startedAt);
      throw e;
    }
  }

  private RewrapResult rewrapUnobserved(
      FieldLocation location, Envelope envelope, KekVersion target) {
    Optional<Kek> from = kekSet.find(envelope.version());
    if (from.isEmpty()) {
      return new NoSuchVersion(envelope.version());
    }
    Optional<Kek> to = kekSet.find(target);
    if (to.isEmpty()) {
      return new NoSuchVersion(target);
    }
    Optional<Dek> unwrapped = unwrap(from.get(), location, envelope);
    if (unwrapped.isEmpty()) {
      return new Refused();
    }
    try (Dek dek = unwrapped.get()) {
      return new Rewrapped(
          envelope.withWrappedDek(target, wrapAndVerify(to.get(), dek, location, envelope)));
    }
  }

  /// Unwraps the new wrap and compares before it returns it: a KEK that mangles DEKs must be found
  /// while the old wrap still exists. MONGOCRYPT-464 destroyed data because nothing checked this.
  private byte[] wrapAndVerify(Kek kek, Dek dek, FieldLocation location, Envelope envelope) {
    byte[] aad = wrapAad(envelope.cipherSuite(), kek.version(), location);
    byte[] wrapped = kek.wrap(dek, aad);
    if (!canUnwrapTo(dek, kek, wrapped, aad)) {
      throw new IllegalStateException(
          kekSet.keyring() + " " + kek.version() + " does not unwrap what it has just wrapped");
    }
    return wrapped;
  }

  private Optional<Dek> unwrap(Kek kek, FieldLocation location, Envelope envelope) {
    return kek.unwrap(
        envelope.wrappedDek(), wrapAad(envelope.cipherSuite(), envelope.version(), location));
  }

  /// Whether `version` is loaded and unwraps what it wraps. Throws [KekUnavailableException] if its
  /// device does not answer.
  public boolean canRoundTrip(KekVersion version) {
    Optional<Kek> kek = kekSet.find(version);
    if (kek.isEmpty()) {
      return false;
    }
    try (Dek dek = Dek.random(random)) {
      byte[] aad = wrapAad(SUITE, version, Sentinel.location(version));
      return canUnwrapTo(dek, kek.get(), kek.get().wrap(dek, aad), aad);
    }
  }

  /// Loads the JDK's ciphers, which takes a while once per process, so that the first seal does not
  /// wait for it.
  public static void warmUp() {
    DerivedKeyAead.initialize();
  }

  /// Wraps and unwraps with a throw-away key. A process whose cipher fails this must not touch a
  /// real key.
  public static void runSelfTest(SecureRandom random) {
    KekVersion version = new KekVersion(1);
    try (SoftwareKek kek =
        new SoftwareKek(version, SecretBytes.random(SoftwareKek.BYTES, random), random)) {
      KekSet kekSet = KekSet.of(KeyringName.MAIN, List.of(kek));
      if (!new EnvelopeCipher(kekSet, random).canRoundTrip(version)) {
        throw new IllegalStateException("the JDK's cipher does not unwrap what it has wrapped");
      }
    }
  }

  private static boolean canUnwrapTo(Dek expected, Kek kek, byte[] wrapped, byte[] aad) {
    Optional<Dek> unwrapped = kek.unwrap(wrapped, aad);
    if (unwrapped.isEmpty()) {
      return false;
    }
    try (Dek dek = unwrapped.get()) {
      return dek.hasSameBytesAs(expected);
    }
  }

  private static DerivedKeyAead.KeyDerivation dataKeyDerivation(Dek dek) {
    return DerivedKeyAead.Purpose.DATA.derivationFrom(dek.bytes());
  }

  private byte[] wrapAad(CipherSuite cipherSuite, KekVersion version, FieldLocation location) {
    return Aad.ofWrap(cipherSuite, kekSet.keyring(), version, location);
  }

  private byte[] dataAad(CipherSuite cipherSuite, FieldLocation location) {
    return Aad.ofData(cipherSuite, kekSet.keyring(), location);
  }
}
