package keyfleet.it.soak;

import com.google.protobuf.ByteString;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import keyfleet.kms.v2.EncryptResponse;

/// Ciphertexts from the plugin: a fair sample of all, and the last ones before each kill.
/// Thread-safe.
final class KeptCiphertexts {
  /// What an API server stores, and the digest of the plaintext.
  record KeptCiphertext(
      String keyId,
      Map<String, ByteString> annotations,
      ByteString ciphertext,
      ByteString plaintextDigest) {
    void check(ByteString plaintext) {
      if (!digest(plaintext).equals(plaintextDigest)) {
        throw new SoakFailure(
            "a ciphertext under key_id %s decrypts to other bytes".formatted(keyId));
      }
    }
  }

  private final int sampleLimit;
  private final int recentLimit;
  private final RandomGenerator random;
  private final List<KeptCiphertext> sample = new ArrayList<>();
  private final List<KeptCiphertext> pinned = new ArrayList<>();
  private final Deque<KeptCiphertext> recent = new ArrayDeque<>();

  /// Shares equal annotations: there are few local KEKs and many ciphertexts under each.
  private final Map<Map<String, ByteString>, Map<String, ByteString>> annotations = new HashMap<>();

  private long total;

  /// @param sampleLimit the size of the sample
  /// @param recentLimit how many of the last ciphertexts are kept at a kill
  KeptCiphertexts(int sampleLimit, int recentLimit, RandomGenerator random) {
    this.sampleLimit = sampleLimit;
    this.recentLimit = recentLimit;
    this.random = random;
  }

  static ByteString digest(ByteString plaintext) {
    try {
      byte[] sum = MessageDigest.getInstance("SHA-256").digest(plaintext.toByteArray());
      return ByteString.copyFrom(sum);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Every ciphertext has the same chance to be in the final sample.
  synchronized KeptCiphertext keep(EncryptResponse sealed, ByteString plaintext) {
    Map<String, ByteString> shared =
        annotations.computeIfAbsent(Map.copyOf(sealed.getAnnotationsMap()), it -> it);
    KeptCiphertext kept =
        new KeptCiphertext(sealed.getKeyId(), shared, sealed.getCiphertext(), digest(plaintext));
    total++;
    if (sample.size() < sampleLimit) {
      sample.add(kept);
    } else {
      long index = random.nextLong(total);
      if (index < sampleLimit) {
        sample.set((int) index, kept);
      }
    }
    recent.add(kept);
    if (recent.size() > recentLimit) {
      recent.remove();
    }
    return kept;
  }

  /// Keeps and returns the last ciphertexts before a kill. Call it after the plugin has ended.
  synchronized List<KeptCiphertext> pinRecent() {
    List<KeptCiphertext> last = List.copyOf(recent);
    recent.clear();
    pinned.addAll(last);
    return last;
  }

  synchronized Optional<KeptCiphertext> pickAny() {
    return sample.isEmpty()
        ? Optional.empty()
        : Optional.of(sample.get(random.nextInt(sample.size())));
  }

  synchronized List<KeptCiphertext> all() {
    List<KeptCiphertext> all = new ArrayList<>(sample);
    all.addAll(pinned);
    return all;
  }
}
