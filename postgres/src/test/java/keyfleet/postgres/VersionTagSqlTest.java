package keyfleet.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.KekVersion;
import org.junit.jupiter.api.Test;

/// The SQL expression reads the version of an envelope exactly as `crypto` does.
class VersionTagSqlTest {
  private static final long SEED = 20_261_116;

  @Test
  void anyBytes_areReadAsTheEnvelopeParserReadsThem() throws SQLException {
    List<byte[]> all = new ArrayList<>(lengths());
    all.addAll(mutants(new Random(SEED)));
    List<Optional<KekVersion>> versions = readVersions(all);
    int readable = 0;
    for (int i = 0; i < all.size(); i++) {
      byte[] bytes = all.get(i);
      Optional<KekVersion> expected = Envelope.parse(bytes).map(Envelope::version);
      readable += expected.isPresent() ? 1 : 0;
      assertEquals(
          expected,
          versions.get(i),
          () ->
              "seed "
                  + SEED
                  + ": "
                  + HexFormat.of().formatHex(bytes, 0, Math.min(20, bytes.length))
                  + "… of "
                  + bytes.length);
    }
    assertEquals(true, readable > 100 && readable < all.size() - 100, readable + " are envelopes");
  }

  /// Lengths around every limit.
  private static List<byte[]> lengths() {
    List<byte[]> all = new ArrayList<>();
    for (int wrapped : new int[] {0, 1, 40, 4095, 4096, 4097, 65_535}) {
      for (int data = 78; data <= 82; data++) {
        all.add(envelope(7, wrapped, data));
      }
    }
    int longest = Envelope.MAX_PLAINTEXT + 80;
    all.add(envelope(3, 4096, longest));
    all.add(envelope(3, 4096, longest + 1));
    for (int length = 0; length < 100; length++) {
      all.add(Arrays.copyOf(envelope(2, 1, 80), length));
    }
    for (int version : new int[] {0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      all.add(envelope(version, 40, 100));
    }
    return all;
  }

  /// One byte of the head changed, or none.
  private static List<byte[]> mutants(Random random) {
    List<byte[]> all = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      byte[] bytes = envelope(1 + random.nextInt(300), random.nextInt(60), 70 + random.nextInt(30));
      if (random.nextBoolean()) {
        bytes[random.nextInt(12)] = (byte) random.nextInt();
      }
      all.add(bytes);
    }
    return all;
  }

  private static byte[] envelope(int version, int wrapped, int data) {
    return ByteBuffer.allocate(12 + wrapped + data)
        .putInt(0xEB4B4645)
        .putShort((short) 0x0101)
        .putInt(version)
        .putShort((short) wrapped)
        .array();
  }

  private static List<Optional<KekVersion>> readVersions(List<byte[]> all) throws SQLException {
    List<Optional<KekVersion>> versions = new ArrayList<>();
    try (Connection connection = PostgresTestServer.shared().connect("postgres");
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT %s, %s FROM (SELECT ?::bytea AS x) given"
                    .formatted(VersionTagSql.tagOf("x"), VersionTagSql.unreadableCondition("x")))) {
      for (byte[] bytes : all) {
        statement.setBytes(1, bytes);
        try (ResultSet found = statement.executeQuery()) {
          found.next();
          byte[] tag = found.getBytes(1);
          assertEquals(tag == null, found.getBoolean(2), "unreadable");
          versions.add(tag == null ? Optional.empty() : Optional.of(VersionTagSql.toVersion(tag)));
        }
      }
    }
    return versions;
  }
}
