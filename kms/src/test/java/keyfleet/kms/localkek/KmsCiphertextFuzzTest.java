package keyfleet.kms.localkek;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.ByteString;
import java.util.Arrays;

/// For any bytes, the parser returns a result and never throws. The header of what it accepts is
/// written back byte for byte.
class KmsCiphertextFuzzTest {
  @FuzzTest(maxDuration = "10s")
  void anyBytes_areParsedOrRefused(byte[] bytes) {
    KmsCiphertext.parse(ByteString.copyFrom(bytes))
        .ifPresent(kmsCiphertext ->
            assertArrayEquals(
                head(kmsCiphertext), Arrays.copyOf(bytes, kmsCiphertext.payloadOffset())));
  }

  private static byte[] head(KmsCiphertext kmsCiphertext) {
    return kmsCiphertext.isSealedUnderLocalKek()
        ? KmsCiphertext.localKekHeader()
        : KmsCiphertext.embeddedKeyHeader(kmsCiphertext.wrapped().toByteArray());
  }
}
