package keyfleet.rollout.release;

import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.NamedParameterSpec;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The pinned release keys, and how many of them must sign.
public record TrustedReleaseKeys(int threshold, Map<ReleaseKeyId, PublicKey> keys) {
  /// More signatures than this are refused before any is verified.
  public static final int MAX_SIGNATURES = 64;

  /// One key under two ids would count as two signers.
  public TrustedReleaseKeys {
    keys = Map.copyOf(keys);
    if (threshold < 1 || threshold > keys.size()) {
      throw new IllegalArgumentException(
          "a threshold must be 1 to the number of keys, " + keys.size() + ", not " + threshold);
    }
    if (new HashSet<>(keys.values()).size() < keys.size()) {
      throw new IllegalArgumentException("a key is pinned under two ids: " + keys.keySet());
    }
    keys.forEach(TrustedReleaseKeys::checkCurve);
  }

  private static void checkCurve(ReleaseKeyId id, PublicKey key) {
    if (!(key instanceof EdECPublicKey ed)
        || !ed.getParams().getName().equals(NamedParameterSpec.ED25519.getName())) {
      throw new IllegalArgumentException("not an Ed25519 key: " + id);
    }
  }

  static List<ReleaseSignature> copyBounded(List<ReleaseSignature> signatures) {
    if (signatures.size() > MAX_SIGNATURES) {
      throw new IllegalArgumentException(
          "at most " + MAX_SIGNATURES + " signatures, not " + signatures.size());
    }
    return List.copyOf(signatures);
  }

  /// The keys with a valid signature over `message`, each once. Unknown keys are ignored: a release
  /// may be signed for fleets that pin other keys.
  Set<ReleaseKeyId> signers(byte[] message, List<ReleaseSignature> signatures) {
    Set<ReleaseKeyId> signers = new HashSet<>();
    for (ReleaseSignature signature : signatures) {
      PublicKey key = keys.get(signature.key());
      if (key != null && isValid(key, message, signature.bytes())) {
        signers.add(signature.key());
      }
    }
    return signers;
  }

  private static boolean isValid(PublicKey key, byte[] message, byte[] signature) {
    try {
      Signature ed25519 = Signature.getInstance("Ed25519");
      ed25519.initVerify(key);
      ed25519.update(message);
      return ed25519.verify(signature);
    } catch (SignatureException e) {
      return false; // not in the format of a signature
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Ed25519 failed", e);
    }
  }
}
