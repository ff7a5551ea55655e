package keyfleet.postgres;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Bytes;
import keyfleet.store.Fence;
import keyfleet.store.Fence.Term;
import keyfleet.store.RecordId;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;

/// Makers of envelopes, records and fences for the tests of this module.
final class PostgresFixtures {
  private static final Random RANDOM = new Random(1);

  private PostgresFixtures() {}

  /// The bytes of an envelope that cannot be opened; no two are equal.
  static byte[] sealed(int version) {
    byte[] rest = new byte[96];
    RANDOM.nextBytes(rest);
    return ByteBuffer.allocate(12 + 40 + rest.length)
        .putInt(0xEB4B4645)
        .putShort((short) 0x0101)
        .putInt(version)
        .putShort((short) 40)
        .put(new byte[40])
        .put(rest)
        .array();
  }

  /// Fields `f0`, `f1`…
  static SealedFields fields(int... versions) {
    TreeMap<String, Bytes> byName = new TreeMap<>();
    for (int i = 0; i < versions.length; i++) {
      byName.put("f" + i, Bytes.copyOf(sealed(versions[i])));
    }
    return SealedFields.of(byName);
  }

  static StoredRecord record(String id, int... versions) {
    return new StoredRecord(new RecordId(id), fields(versions));
  }

  static Fence fence(long epoch, Integer... writable) {
    Set<KekVersion> versions =
        List.of(writable).stream().map(KekVersion::new).collect(Collectors.toSet());
    return Fence.of(new Term(1, epoch), versions);
  }

  static KekVersion v(int number) {
    return new KekVersion(number);
  }
}
