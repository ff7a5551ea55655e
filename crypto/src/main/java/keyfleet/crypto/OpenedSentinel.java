package keyfleet.crypto;

import keyfleet.crypto.Sentinel.Claim;

/// The secret of a [Sentinel], held while proofs are made or checked with it. All proofs of a fleet
/// are checked with one opening.
public final class OpenedSentinel implements AutoCloseable {
  private final SecretBytes secret;
  private final Proof.Generator generator;

  OpenedSentinel(SecretBytes secret, KeyringName keyring, KekVersion version) {
    this.secret = secret;
    this.generator = new Proof.Generator(secret, keyring, version);
  }

  /// Whether `proof` was made for `claim` by a process that opened the same sentinel.
  public boolean isValid(Claim claim, Proof proof) {
    return makeProof(claim).equals(proof);
  }

  /// Makes one proof and closes the secret.
  Proof makeProofAndClose(Claim claim) {
    try (this) {
      return makeProof(claim);
    }
  }

  private Proof makeProof(Claim claim) {
    return generator.generate(claim);
  }

  @Override
  public void close() {
    secret.close();
  }
}
