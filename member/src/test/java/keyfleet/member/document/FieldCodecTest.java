package keyfleet.member.document;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionState;
import org.junit.jupiter.api.Test;

class FieldCodecTest {
  /// Keystores store these words, and the audit hashes them: a constant may not be renamed.
  @Test
  void storedWords_neverChange() {
    List<Enum<?>[]> stored =
        List.of(
            Keystore.Use.values(),
            VersionState.values(),
            VersionEntry.Trust.values(),
            RotationJob.Kind.values(),
            RotationJob.Course.values());
    assertEquals(
        List.of(
            "records kms",
            "announced withdrawn staged active decrypt-only disabled destroying destroyed",
            "trusted compromised",
            "rotation revocation dry-run",
            "forward turned"),
        stored.stream()
            .map(it -> Stream.of(it).map(FieldCodec::toWord).collect(Collectors.joining(" ")))
            .toList());
  }
}
