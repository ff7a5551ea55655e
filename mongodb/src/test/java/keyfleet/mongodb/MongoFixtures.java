package keyfleet.mongodb;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.security.SecureRandom;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.FieldLocation;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.SealResult.Sealed;
import keyfleet.crypto.SecretBytes;
import keyfleet.crypto.SoftwareKek;
import keyfleet.store.Bytes;
import keyfleet.store.Fence;
import keyfleet.store.Fence.Term;
import keyfleet.store.RecordId;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;
import org.bson.Document;
import org.bson.types.Binary;

/// Makers of sealed values, records and fences for the tests of this module.
final class MongoFixtures {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final EnvelopeCipher CIPHER =
      new EnvelopeCipher(
          KekSet.of(
              KeyringName.MAIN,
              IntStream.rangeClosed(1, 4)
                  .mapToObj(it ->
                      new SoftwareKek(v(it), SecretBytes.random(SoftwareKek.BYTES, RANDOM), RANDOM))
                  .toList()),
          RANDOM);

  private MongoFixtures() {}

  static KekVersion v(int number) {
    return new KekVersion(number);
  }

  /// A new envelope of that version; no two are equal.
  static Bytes sealed(int version) {
    FieldLocation location = new FieldLocation("customers", "any", "any");
    SecretBytes plaintext = SecretBytes.copyOf(new byte[] {42});
    Sealed sealed = assertInstanceOf(Sealed.class, CIPHER.seal(v(version), location, plaintext));
    return Bytes.copyOf(sealed.envelope().toBytes());
  }

  /// Fields `f0`, `f1`… of those versions.
  static SealedFields fields(int... versions) {
    Map<String, Bytes> byName = new TreeMap<>();
    for (int version : versions) {
      byName.put("f" + byName.size(), sealed(version));
    }
    return SealedFields.of(byName);
  }

  static StoredRecord record(String id, int... versions) {
    return new StoredRecord(new RecordId(id), fields(versions));
  }

  /// A field as an application writes it, with that `kv` and an envelope of `version`.
  static Document field(int kv, int version) {
    return new Document("kv", kv).append("ct", new Binary(sealed(version).toArray()));
  }

  static Fence fence(long epoch, Integer... writable) {
    return Fence.of(
        new Term(1, epoch),
        Set.of(writable).stream().map(MongoFixtures::v).collect(Collectors.toSet()));
  }
}
