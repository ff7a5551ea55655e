package keyfleet.crypto;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import keyfleet.crypto.Sentinel.Claim;

/// The proofs that a process has made. One is made anew only if its key, its sentinel or its claim
/// is another; that the key still wraps and unwraps is tried every time. For several threads.
public final class ProofCache {
  /// A few versions, and an epoch or two of each.
  private static final int MAX_REMEMBERED = 64;

  private record CacheKey(Kek kek, Sentinel sentinel, Claim claim) {}

  private final Map<CacheKey, Proof> made = new ConcurrentHashMap<>();

  /// The proof that this process holds the sentinel's version, or nothing if it does not: the
  /// version is missing, has other bytes, or no longer wraps and unwraps.
  public Optional<Proof> prove(Sentinel sentinel, EnvelopeCipher cipher, Claim claim) {
    Optional<Kek> kek = cipher.kek(sentinel.version());
    if (kek.isEmpty() || !cipher.roundTrips(sentinel.version())) {
      return Optional.empty();
    }
    CacheKey ground = new CacheKey(kek.get(), sentinel, claim);
    Proof known = made.get(ground);
    if (known != null) {
      return Optional.of(known);
    }
    Optional<Proof> proof = sentinel.proof(cipher, claim);
    proof.ifPresent(it -> remember(ground, it));
    return proof;
  }

  private void remember(CacheKey ground, Proof proof) {
    if (made.size() >= MAX_REMEMBERED) {
      made.clear();
    }
    made.put(ground, proof);
  }
}
