package keyfleet.crypto;

import java.security.SecureRandom;
import java.util.Optional;
import keyfleet.crypto.OpenResult.Opened;
import keyfleet.crypto.SealResult.Sealed;

/// 32 random bytes sealed under one KEK version, kept beside that version in the keystore. A
/// process that can open it holds the right key, and shows this with a [Proof], which reveals
/// nothing about the key. A check value of the raw key would: for GCM, the encryption of zeros is
/// the start of the authentication key.
public record Sentinel(KekVersion version, Envelope envelope) {
  private static final int BYTES = 32;

  /// The product reserves collections with this prefix, so no record of a user can replace a
  /// sentinel.
  private static final String COLLECTION = "keyfleet.sentinel";

  public Sentinel {
    if (!version.equals(envelope.version())) {
      throw new IllegalArgumentException(
          "a sentinel of " + version + " is sealed under it, not under " + envelope.version());
    }
  }

  /// A new sentinel for `version`. Empty if the version is not loaded.
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

  /// Opens the sentinel, to check the proofs of others. Empty if the caller lacks the right key.
  public Optional<OpenedSentinel> open(EnvelopeCipher cipher) {
    return cipher.open(location(version), envelope)
            instanceof Opened(SecretBytes secret, KekVersion _)
        ? Optional.of(new OpenedSentinel(secret, cipher.keyring(), version))
        : Optional.empty();
  }

  static FieldLocation location(KekVersion version) {
    return new FieldLocation(COLLECTION, version.toString(), "secret");
  }

  /// The process that makes the proof and the epoch of its keystore: a proof cannot be replayed for
  /// another process or epoch.
  public record Claim(String instance, long epoch) {}
}
