package keyfleet.crypto;

import keyfleet.crypto.Sentinel.Claim;

/// The secret of a [Sentinel], held for as long as proofs are made or judged by it: a whole fleet's
/// proofs cost one opening.
public final class OpenedSentinel implements AutoCloseable {
  private final SecretBytes secret;
  private final Proof.Generator maker;

  OpenedSentinel(SecretBytes secret, KeyringName keyring, KekVersion version) {
    this.secret = secret;
    this.maker = new Proof.Generator(secret, keyring, version);
  }

  /// Whether `proof` was made for `claim` by someone who opened the same sentinel.
  public boolean accepts(Claim claim, Proof proof) {
    return proof(claim).equals(proof);
  }

  /// The only proof it makes: it is closed with it.
  Proof last(Claim claim) {
    try (this) {
      return proof(claim);
    }
  }

  private Proof proof(Claim claim) {
    return maker.proof(claim);
  }

  @Override
  public void close() {
    secret.close();
  }
}
