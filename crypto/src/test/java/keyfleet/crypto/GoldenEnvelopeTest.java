package keyfleet.crypto;

import static java.nio.charset.StandardCharsets.UTF_8;
import static keyfleet.crypto.CryptoFixtures.rewrap;
import static keyfleet.crypto.CryptoFixtures.seal;
import static keyfleet.crypto.CryptoFixtures.seeded;
import static keyfleet.crypto.CryptoFixtures.textOf;
import static keyfleet.crypto.CryptoFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import keyfleet.crypto.OpenResult.Opened;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Envelopes that were written once and are kept: every later build opens them. A golden file is
/// never edited; a new format gets a new file. `it/open_envelope.py` opens the same lines with
/// independent code.
class GoldenEnvelopeTest {
  /// Data keys wrapped in form 1, which is no longer written.
  private static final String WRAP_1 = "/golden/format-1.txt";

  private static final String WRAP_2 = "/golden/format-1-wrap-2.txt";
  private static final HexFormat HEX = HexFormat.of();

  static List<TestVector> vectors() {
    return Stream.of(WRAP_1, WRAP_2).map(TestVector::readAll).flatMap(List::stream).toList();
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void goldenEnvelope_givesTheRecordedResult(TestVector vector) {
    String outcome =
        switch (cipherOf(vector).open(locationOf(vector), vector.bytes("envelope"))) {
          case Opened(var plain, _) ->
              "opened " + HEX.formatHex(plain.reveal(SecretAccess.granted()));
          case NoSuchVersion _ -> "no-such-version ";
          case Refused _ -> "refused ";
        };
    assertEquals(vector.result() + " " + vector.text("plaintext"), outcome);
  }

  private static EnvelopeCipher cipherOf(TestVector vector) {
    List<SoftwareKek> keks = new ArrayList<>();
    vector
        .values()
        .forEach((name, hex) -> {
          if (name.startsWith("kek.")) {
            SecretBytes key = SecretBytes.copyOf(HEX.parseHex(hex));
            keks.add(new SoftwareKek(v(Integer.parseInt(name.substring(4))), key, seeded(1)));
          }
        });
    return new EnvelopeCipher(KekSet.of(new KeyringName(text(vector, "keyring")), keks), seeded(2));
  }

  private static FieldLocation locationOf(TestVector vector) {
    return new FieldLocation(text(vector, "collection"), text(vector, "id"), text(vector, "field"));
  }

  private static String text(TestVector vector, String name) {
    return new String(vector.bytes(name), UTF_8);
  }

  @Test
  void dataKeyInForm1_isRewrappedInForm2() {
    TestVector ordinary = TestVector.readAll(WRAP_1).getFirst();
    EnvelopeCipher cipher = cipherOf(ordinary);
    Envelope old = Envelope.parse(ordinary.bytes("envelope")).orElseThrow();
    Envelope moved = rewrap(cipher, locationOf(ordinary), old, 2);
    assertEquals(old.wrappedDek().length + 1, moved.wrappedDek().length);
    assertEquals(2, moved.wrappedDek()[0]);
    assertEquals("123-45-6789", textOf(cipher.open(locationOf(ordinary), moved)));
  }

  /// The same keys, values and randomness must always give the same bytes.
  @Test
  void thisBuild_writesTheGoldenFile() {
    List<String> golden =
        TestVector.readAll(WRAP_2).stream().map(GoldenEnvelopeTest::line).toList();
    assertEquals(golden, new LineWriter().lines());
  }

  private static String line(TestVector vector) {
    StringBuilder line = new StringBuilder(vector.id()).append(' ').append(vector.result());
    new TreeMap<>(vector.values())
        .forEach((n, v) -> line.append(' ').append(n).append('=').append(v));
    return line.toString();
  }

  /// Writes the golden lines: a few ordinary envelopes, the edge cases, and three that must not
  /// open.
  private static final class LineWriter {
    private static final FieldLocation SSN = new FieldLocation("customers", "17", "ssn");

    private final List<String> lines = new ArrayList<>();

    List<String> lines() {
      EnvelopeCipher cipher = cipher("main", 1, 2);
      Envelope ordinary = seal(cipher, 1, SSN, "123-45-6789");
      add("opened", "main", ordinary, SSN, "123-45-6789", 1, 2);
      add("opened", "main", rewrap(cipher, SSN, ordinary, 2), SSN, "123-45-6789", 2);
      add("opened", "main", seal(cipher, 1, SSN, ""), SSN, "", 1);
      FieldLocation unicode = new FieldLocation("kunden/ß", "ключ 🔑", "a.b[0]");
      add("opened", "main", seal(cipher, 2, unicode, "Zoë"), unicode, "Zoë", 1, 2);
      FieldLocation longest =
          new FieldLocation("c".repeat(1024), "i".repeat(1024), "f".repeat(1024));
      add(
          "opened",
          "main",
          seal(cipher, 1, longest, "x".repeat(1000)),
          longest,
          "x".repeat(1000),
          1);
      int last = Integer.MAX_VALUE;
      add("opened", "pay-roll", seal(cipher("pay-roll", last), last, SSN, "x"), SSN, "x", last);
      add("no-such-version", "main", ordinary, SSN, "", 2);
      add("refused", "main", ordinary, new FieldLocation("customers", "18", "ssn"), "", 1, 2);
      add("refused", "pay-roll", ordinary, SSN, "", 1, 2);
      return lines;
    }

    private static EnvelopeCipher cipher(String keyring, int... versions) {
      List<SoftwareKek> keks = IntStream.of(versions).mapToObj(CryptoFixtures::kek).toList();
      return new EnvelopeCipher(KekSet.of(new KeyringName(keyring), keks), seeded(42));
    }

    private void add(
        String result,
        String keyring,
        Envelope envelope,
        FieldLocation location,
        String plaintext,
        int... loaded) {
      TreeMap<String, String> values = new TreeMap<>();
      values.put("keyring", hex(keyring));
      values.put("collection", hex(location.collection()));
      values.put("id", hex(location.recordId()));
      values.put("field", hex(location.field()));
      values.put("envelope", HEX.formatHex(envelope.toBytes()));
      values.put("plaintext", hex(plaintext));
      for (int version : loaded) {
        byte[] key = new byte[SoftwareKek.BYTES];
        new Random(version).nextBytes(key);
        values.put("kek." + version, HEX.formatHex(key));
      }
      StringBuilder line = new StringBuilder("envelope " + (lines.size() + 1) + " " + result);
      values.forEach((name, value) -> line.append(' ').append(name).append('=').append(value));
      lines.add(line.toString());
    }

    private static String hex(String text) {
      return HEX.formatHex(text.getBytes(UTF_8));
    }
  }
}
