package keyfleet.crypto;

import java.security.SecureRandom;
import java.util.Optional;
import keyfleet.crypto.OpenResult.Opened;
import keyfleet.crypto.SealResult.Sealed;

/// 32 random bytes sealed under one KEK version, kept beside that version in the keystore. Who can
/// open it holds the right key, and shows so with a [Proof], which tells nothing about the key. (A
/// check value of the raw key would: for GCM, the encryption of zeros is the start of the
/// authentication key.)
public record Sentinel(KekVersion version, Envelope envelope) {
  private static final int BYTES = 32;

  /// Collections with this prefix are ours; no user's record can stand in for a sentinel.
  private static final String COLLECTION = "keyfleet.sentinel";

  public Sentinel {
    if (!version.equals(envelope.version())) {
      throw new IllegalArgumentException(
          "a sentinel of " + version + " is sealed under it, not under " + envelope.version());
    }
  }

  /// A new sentinel for `version`, or nothing if the version is not loaded.
  public static Optional<Sentinel> create(
      EnvelopeCipher cipher, KekVersion version, SecureRandom random) {
    try (SecretBytes secret = SecretBytes.random(BYTES, random)) {
      return switch (cipher.seal(version, location(version), secret)) {
        case Sealed(Envelope envelope) -> Optional.of(new Sentinel(version, envelope));
        case NoSuchVersion _ -> Optional.empty();
      };
    }
  }

  Optional<Proof> makeProof(EnvelopeCipher cipher, Claim claim) {
    return open(cipher).map(it -> it.makeProofAndClose(claim));
  }

  /// What is inside, to judge the proofs of others by. Nothing if the caller cannot open it, and so
  /// cannot judge.
  public Optional<OpenedSentinel> open(EnvelopeCipher cipher) {
    return switch (cipher.open(location(version), envelope)) {
      case Opened(SecretBytes secret, KekVersion _) ->
          Optional.of(new OpenedSentinel(secret, cipher.keyring(), version));
      case NoSuchVersion _, Refused _ -> Optional.empty();
    };
  }

  static FieldLocation location(KekVersion version) {
    return new FieldLocation(COLLECTION, version.toString(), "secret");
  }

  /// Who says it, and in which epoch of the keystore: a proof cannot be repeated by or for another.
  public record Claim(String instance, long epoch) {}
}
