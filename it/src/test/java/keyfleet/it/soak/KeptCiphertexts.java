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

/// Ciphertexts that a plugin gave out: a fair sample of all, and every one that came shortly before
/// a kill. For any thread.
final class KeptCiphertexts {
  /// What an API server would have stored, and the digest of what it means.
  record KeptCiphertext(
      String keyId,
      Map<String, ByteString> annotations,
      ByteString ciphertext,
      ByteString plaintextDigest) {
    void check(ByteString plaintext) {
      if (!digest(plaintext).equals(plaintextDigest)) {
        throw new SoakFailure("a ciphertext under key_id %s opens as other bytes".formatted(keyId));
      }
    }
  }

  private final int sampleLimit;
  private final int recentLimit;
  private final RandomGenerator random;
  private final List<KeptCiphertext> sample = new ArrayList<>();
  private final List<KeptCiphertext> pinned = new ArrayList<>();
  private final Deque<KeptCiphertext> recent = new ArrayDeque<>();

  /// There are few local KEKs, and many ciphertexts under each.
  private final Map<Map<String, ByteString>, Map<String, ByteString>> annotations = new HashMap<>();

  private long total;

  /// @param most of all in the sample
  /// @param recently that many of the last are kept at a kill
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

  /// Every ciphertext has the same chance to be in the sample in the end.
  synchronized KeptCiphertext keep(EncryptResponse sealed, ByteString plaintext) {
    Map<String, ByteString> shared =
        annotations.computeIfAbsent(Map.copyOf(sealed.getAnnotationsMap()), it -> it);
    KeptCiphertext keptCiphertext =
        new KeptCiphertext(sealed.getKeyId(), shared, sealed.getCiphertext(), digest(plaintext));
    total++;
    if (sample.size() < sampleLimit) {
      sample.add(keptCiphertext);
    } else {
      long index = random.nextLong(total);
      if (index < sampleLimit) {
        sample.set((int) index, keptCiphertext);
      }
    }
    recent.add(keptCiphertext);
    if (recent.size() > recentLimit) {
      recent.remove();
    }
    return keptCiphertext;
  }

  /// To be called when the plugin is dead. Returns what was given out last before.
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
