package keyfleet.kms.localkek;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.ByteString;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;

/// Any bytes at all: the parser answers, never throws, and the head of what it takes is written
/// back byte for byte.
@Tag("fuzz")
class KmsCiphertextFuzzTest {
  @FuzzTest(maxDuration = "10s")
  void anyBytes_areTakenApartOrRefused(byte[] bytes) {
    KmsCiphertext.parse(ByteString.copyFrom(bytes))
        .ifPresent(kmsCiphertext ->
            assertArrayEquals(
                head(kmsCiphertext), Arrays.copyOf(bytes, kmsCiphertext.payloadOffset())));
  }

  private static byte[] head(KmsCiphertext kmsCiphertext) {
    return kmsCiphertext.usesLocalKek()
        ? KmsCiphertext.localKekHeader()
        : KmsCiphertext.embeddedKeyHeader(kmsCiphertext.wrapped().toByteArray());
  }
}
