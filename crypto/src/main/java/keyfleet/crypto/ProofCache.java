package keyfleet.crypto;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import keyfleet.crypto.Sentinel.Claim;

/// The proofs that a process has made. One is made anew only if its key, its sentinel or its claim
/// is another; that the key still wraps and unwraps is tried every time. For several threads.
public final class ProofCache {
  /// A few versions, and an epoch or two of each.
  private static final int MAX_ENTRIES = 64;

  private record CacheKey(Kek kek, Sentinel sentinel, Claim claim) {}

  private final Map<CacheKey, Proof> proofByKey = new ConcurrentHashMap<>();

  /// The proof that this process holds the sentinel's version, or nothing if it does not: the
  /// version is missing, has other bytes, or no longer wraps and unwraps.
  public Optional<Proof> prove(Sentinel sentinel, EnvelopeCipher cipher, Claim claim) {
    Optional<Kek> kek = cipher.kek(sentinel.version());
    if (kek.isEmpty() || !cipher.canRoundTrip(sentinel.version())) {
      return Optional.empty();
    }
    CacheKey cacheKey = new CacheKey(kek.get(), sentinel, claim);
    Proof known = proofByKey.get(cacheKey);
    if (known != null) {
      return Optional.of(known);
    }
    Optional<Proof> proof = sentinel.makeProof(cipher, claim);
    proof.ifPresent(it -> remember(cacheKey, it));
    return proof;
  }

  private void remember(CacheKey cacheKey, Proof proof) {
    if (proofByKey.size() >= MAX_ENTRIES) {
      proofByKey.clear();
    }
    proofByKey.put(cacheKey, proof);
  }
}
