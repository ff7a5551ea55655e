package keyfleet.crypto;

import keyfleet.crypto.Sentinel.Claim;

/// The secret of a [Sentinel], held for as long as proofs are made or judged by it: a whole fleet's
/// proofs cost one opening.
public final class OpenedSentinel implements AutoCloseable {
  private final SecretBytes secret;
  private final Proof.Generator generator;

  OpenedSentinel(SecretBytes secret, KeyringName keyring, KekVersion version) {
    this.secret = secret;
    this.generator = new Proof.Generator(secret, keyring, version);
  }

  /// Whether `proof` was made for `claim` by someone who opened the same sentinel.
  public boolean isValid(Claim claim, Proof proof) {
    return makeProof(claim).equals(proof);
  }

  /// The only proof it makes: it is closed with it.
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
