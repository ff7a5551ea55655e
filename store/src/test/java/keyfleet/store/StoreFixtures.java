package keyfleet.store;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
import keyfleet.store.Fence.Term;
import keyfleet.store.WriteResult.Written;

/// Values that the tests of the store and its engines use.
public final class StoreFixtures {
  public static final Bucket THINGS = new Bucket.Lasting("things");

  private static final int VERSIONS = 9;
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final EnvelopeCipher CIPHER = new EnvelopeCipher(kekSet(), RANDOM);
  private static final FieldLocation LOCATION = new FieldLocation("customers", "any", "any");

  private StoreFixtures() {}

  public static Key key(String value) {
    return new Key(value);
  }

  public static Value value(String text) {
    return Value.of(text);
  }

  public static Revision assertWritten(WriteResult result) {
    return assertInstanceOf(Written.class, result).revision();
  }

  public static KekVersion v(int number) {
    return new KekVersion(number);
  }

  /// A new envelope of that version; no two are equal.
  public static Bytes sealed(int version) {
    SecretBytes plaintext = SecretBytes.copyOf(new byte[] {42});
    Sealed sealed = assertInstanceOf(Sealed.class, CIPHER.seal(v(version), LOCATION, plaintext));
    return Bytes.copyOf(sealed.envelope().toBytes());
  }

  /// Fields `f0`, `f1`… with those versions.
  public static SealedFields fields(int... versions) {
    return SealedFields.of(
        IntStream.range(0, versions.length)
            .boxed()
            .collect(Collectors.toMap(i -> "f" + i, i -> sealed(versions[i]))));
  }

  /// `fields` with the field `name` replaced.
  static SealedFields with(SealedFields fields, String name, Bytes field) {
    Map<String, Bytes> byName = new HashMap<>(fields.byName());
    byName.put(name, field);
    return SealedFields.of(byName);
  }

  /// New fields of the same names, all of that version.
  static SealedFields rewrapped(StoredRecord record, int version) {
    return SealedFields.of(
        record.fields().byName().keySet().stream()
            .collect(Collectors.toMap(name -> name, _ -> sealed(version))));
  }

  public static RecordId id(int number) {
    return new RecordId("%05d".formatted(number));
  }

  public static StoredRecord record(int id, int... versions) {
    return new StoredRecord(id(id), fields(versions));
  }

  public static StoredRecord record(String id, int... versions) {
    return new StoredRecord(new RecordId(id), fields(versions));
  }

  public static Fence fence(long epoch, Integer... writable) {
    return fence(new Term(1, epoch), writable);
  }

  public static Fence fence(Term term, Integer... writable) {
    return Fence.of(term, Set.copyOf(List.of(writable).stream().map(StoreFixtures::v).toList()));
  }

  private static KekSet kekSet() {
    return KekSet.of(
        KeyringName.MAIN,
        IntStream.rangeClosed(1, VERSIONS)
            .mapToObj(
                it -> new SoftwareKek(v(it), SecretBytes.random(SoftwareKek.BYTES, RANDOM), RANDOM))
            .toList());
  }
}
