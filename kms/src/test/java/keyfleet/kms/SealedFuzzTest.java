package keyfleet.kms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.ByteString;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;

/// Any bytes at all: the parser answers, never throws, and the head of what it takes is written
/// back byte for byte.
@Tag("fuzz")
class SealedFuzzTest {
  @FuzzTest(maxDuration = "10s")
  void anyBytes_areTakenApartOrRefused(byte[] bytes) {
    Sealed.parse(ByteString.copyFrom(bytes))
        .ifPresent(sealed -> assertArrayEquals(head(sealed), Arrays.copyOf(bytes, sealed.start())));
  }

  private static byte[] head(Sealed sealed) {
    return sealed.isLocal() ? Sealed.localHead() : Sealed.ownHead(sealed.wrapped().toByteArray());
  }
}
