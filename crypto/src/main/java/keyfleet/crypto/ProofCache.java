package keyfleet.crypto;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import keyfleet.crypto.Sentinel.Claim;

/// The proofs that a process has made. A new one is made only for another key, sentinel or claim;
/// the round trip of the key is checked every time. Thread-safe.
public final class ProofCache {
  /// Enough for a few versions in one or two epochs each.
  private static final int MAX_ENTRIES = 64;

  private record CacheKey(Kek kek, Sentinel sentinel, Claim claim) {}

  private final Map<CacheKey, Proof> proofByKey = new ConcurrentHashMap<>();

  /// The proof that this process holds the version of the sentinel. Empty if the version is
  /// missing, has other bytes, or no longer wraps and unwraps.
  public Optional<Proof> prove(Sentinel sentinel, EnvelopeCipher cipher, Claim claim) {
    Optional<Kek> kek = cipher.kek(sentinel.version());
    if (kek.isEmpty() || !cipher.canRoundTrip(sentinel.version())) {
      return Optional.empty();
    }
    CacheKey key = new CacheKey(kek.get(), sentinel, claim);
    Proof known = proofByKey.get(key);
    if (known != null) {
      return Optional.of(known);
    }
    Optional<Proof> proof = sentinel.makeProof(cipher, claim);
    proof.ifPresent(it -> remember(key, it));
    return proof;
  }

  private void remember(CacheKey key, Proof proof) {
    if (proofByKey.size() >= MAX_ENTRIES) {
      proofByKey.clear();
    }
    proofByKey.put(key, proof);
  }
}
