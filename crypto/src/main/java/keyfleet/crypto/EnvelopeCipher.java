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

/// Seals, opens and rewraps the values of one keyring. The version is always the caller's explicit
/// word: nothing here falls back to another key.
public final class EnvelopeCipher {
  private static final CipherSuite SUITE = CipherSuite.HKDF_SHA512_AES256_GCM;

  private final KekSet keks;
  private final SecureRandom random;
  private final CryptoListener witness;

  public EnvelopeCipher(KekSet keks, SecureRandom random) {
    this(keks, random, CryptoListener.NOBODY);
  }

  public EnvelopeCipher(KekSet keks, SecureRandom random, CryptoListener witness) {
    this.keks = keks;
    this.random = random;
    this.witness = witness;
  }

  public KeyringName keyring() {
    return keks.keyring();
  }

  Optional<Kek> kek(KekVersion version) {
    return keks.find(version);
  }

  public SealResult seal(KekVersion version, FieldLocation place, SecretBytes plaintext) {
    if (plaintext.length() > Envelope.MAX_PLAINTEXT) {
      throw new IllegalArgumentException(
          "a value has at most " + Envelope.MAX_PLAINTEXT + " bytes, not " + plaintext.length());
    }
    long began = witness.begin();
    try {
      SealResult sealing = sealed(version, place, plaintext);
      witness.saw(Operation.SEAL, version, sealing instanceof Sealed ? OK : NO_SUCH_VERSION, began);
      return sealing;
    } catch (KekUnavailableException e) {
      witness.saw(Operation.SEAL, version, UNAVAILABLE, began);
      throw e;
    }
  }

  private SealResult sealed(KekVersion version, FieldLocation place, SecretBytes plaintext) {
    Optional<Kek> kek = keks.find(version);
    if (kek.isEmpty()) {
      return new NoSuchVersion(version);
    }
    try (Dek dek = Dek.random(random)) {
      byte[] wrapped = kek.get().wrap(dek, wrapAad(SUITE, version, place));
      byte[] data = DerivedKeyAead.seal(dataKeys(dek), dataAad(SUITE, place), plaintext, random);
      return new Sealed(new Envelope(SUITE, version, wrapped, data));
    }
  }

  public OpenResult open(FieldLocation place, byte[] bytes) {
    Optional<Envelope> parsed = Envelope.parse(bytes);
    return parsed.isPresent() ? open(place, parsed.get()) : new Refused();
  }

  public OpenResult open(FieldLocation place, Envelope envelope) {
    long began = witness.begin();
    try {
      OpenResult opening = opened(place, envelope);
      Outcome outcome =
          switch (opening) {
            case Opened _ -> OK;
            case NoSuchVersion _ -> NO_SUCH_VERSION;
            case Refused _ -> REFUSED;
          };
      witness.saw(Operation.OPEN, envelope.version(), outcome, began);
      return opening;
    } catch (KekUnavailableException e) {
      witness.saw(Operation.OPEN, envelope.version(), UNAVAILABLE, began);
      throw e;
    }
  }

  private OpenResult opened(FieldLocation place, Envelope envelope) {
    Optional<Kek> kek = keks.find(envelope.version());
    if (kek.isEmpty()) {
      return new NoSuchVersion(envelope.version());
    }
    Optional<Dek> unwrapped = unwrap(kek.get(), place, envelope);
    if (unwrapped.isEmpty()) {
      return new Refused();
    }
    try (Dek dek = unwrapped.get()) {
      byte[] aad = dataAad(envelope.suite(), place);
      Optional<SecretBytes> plain = DerivedKeyAead.open(dataKeys(dek), aad, envelope.data());
      return plain.isPresent() ? new Opened(plain.get(), envelope.version()) : new Refused();
    }
  }

  /// Moves an envelope to `target`, whatever version it has now. Works on the DEK alone: the
  /// plaintext is never seen, the data bytes are carried over as they are.
  public RewrapResult rewrap(FieldLocation place, Envelope envelope, KekVersion target) {
    long began = witness.begin();
    try {
      RewrapResult rewrapping = rewrapped(place, envelope, target);
      Outcome outcome =
          switch (rewrapping) {
            case Rewrapped _ -> OK;
            case NoSuchVersion _ -> NO_SUCH_VERSION;
            case Refused _ -> REFUSED;
          };
      witness.saw(Operation.REWRAP, target, outcome, began);
      return rewrapping;
    } catch (KekUnavailableException e) {
      witness.saw(Operation.REWRAP, target, UNAVAILABLE, began);
      throw e;
    }
  }

  private RewrapResult rewrapped(FieldLocation place, Envelope envelope, KekVersion target) {
    Optional<Kek> from = keks.find(envelope.version());
    if (from.isEmpty()) {
      return new NoSuchVersion(envelope.version());
    }
    Optional<Kek> to = keks.find(target);
    if (to.isEmpty()) {
      return new NoSuchVersion(target);
    }
    Optional<Dek> unwrapped = unwrap(from.get(), place, envelope);
    if (unwrapped.isEmpty()) {
      return new Refused();
    }
    try (Dek dek = unwrapped.get()) {
      return new Rewrapped(envelope.rewrapped(target, wrapChecked(to.get(), dek, place, envelope)));
    }
  }

  /// The new wrap is opened again and compared before it is returned: a KEK that mangles DEKs must
  /// be found while the old wrap still exists (MONGOCRYPT-464 destroyed data for want of this).
  private byte[] wrapChecked(Kek kek, Dek dek, FieldLocation place, Envelope envelope) {
    byte[] aad = wrapAad(envelope.suite(), kek.version(), place);
    byte[] wrapped = kek.wrap(dek, aad);
    if (!unwrapsTo(dek, kek, wrapped, aad)) {
      throw new IllegalStateException(
          keks.keyring() + " " + kek.version() + " does not unwrap what it has just wrapped");
    }
    return wrapped;
  }

  private Optional<Dek> unwrap(Kek kek, FieldLocation place, Envelope envelope) {
    return kek.unwrap(envelope.wrappedDek(), wrapAad(envelope.suite(), envelope.version(), place));
  }

  /// Whether `version` is loaded and unwraps what it wraps. Throws [KekUnavailableException] if its
  /// device does not answer.
  public boolean roundTrips(KekVersion version) {
    Optional<Kek> kek = keks.find(version);
    if (kek.isEmpty()) {
      return false;
    }
    try (Dek dek = Dek.random(random)) {
      byte[] aad = wrapAad(SUITE, version, Sentinel.place(version));
      return unwrapsTo(dek, kek.get(), kek.get().wrap(dek, aad), aad);
    }
  }

  /// Starts the JDK's ciphers, which takes its time once in a process. Whoever seals first would
  /// else wait for it.
  public static void prepare() {
    DerivedKeyAead.start();
  }

  /// Wraps and unwraps with a throw-away key. A process whose cipher does not pass must not touch a
  /// real one.
  public static void selfTest(SecureRandom random) {
    KekVersion version = new KekVersion(1);
    try (SoftwareKek kek =
        new SoftwareKek(version, SecretBytes.random(SoftwareKek.BYTES, random), random)) {
      KekSet keks = KekSet.of(KeyringName.MAIN, List.of(kek));
      if (!new EnvelopeCipher(keks, random).roundTrips(version)) {
        throw new IllegalStateException("the JDK's cipher does not unwrap what it has wrapped");
      }
    }
  }

  private static boolean unwrapsTo(Dek expected, Kek kek, byte[] wrapped, byte[] aad) {
    Optional<Dek> unwrapped = kek.unwrap(wrapped, aad);
    if (unwrapped.isEmpty()) {
      return false;
    }
    try (Dek dek = unwrapped.get()) {
      return dek.sameAs(expected);
    }
  }

  private static DerivedKeyAead.KeyDerivation dataKeys(Dek dek) {
    return DerivedKeyAead.Purpose.DATA.from(dek.bytes());
  }

  private byte[] wrapAad(CipherSuite suite, KekVersion version, FieldLocation place) {
    return Aad.ofWrap(suite, keks.keyring(), version, place);
  }

  private byte[] dataAad(CipherSuite suite, FieldLocation place) {
    return Aad.ofData(suite, keks.keyring(), place);
  }
}
