package keyfleet.kms.localkek;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.ByteString;
import java.util.Arrays;

/// For any bytes, the parsers of a ciphertext and of a wrapped key return a result and never throw.
/// What they accept is written back byte for byte.
class KmsCiphertextFuzzTest {
  @FuzzTest(maxDuration = "10s")
  void anyBytes_areParsedOrRefused(byte[] bytes) {
    KmsCiphertext.parse(ByteString.copyFrom(bytes))
        .ifPresent(kmsCiphertext ->
            assertArrayEquals(
                head(kmsCiphertext), Arrays.copyOf(bytes, kmsCiphertext.payloadOffset())));
    WrappedKey.parse(ByteString.copyFrom(bytes))
        .ifPresent(wrappedKey -> assertArrayEquals(wrappedKey.toBytes(), bytes));
  }

  private static byte[] head(KmsCiphertext kmsCiphertext) {
    return kmsCiphertext.isSealedUnderLocalKek()
        ? KmsCiphertext.localKekHeader()
        : KmsCiphertext.embeddedKeyHeader(kmsCiphertext.wrapped().toByteArray());
  }
}
