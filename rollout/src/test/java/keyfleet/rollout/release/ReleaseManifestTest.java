package keyfleet.rollout.release;

import static keyfleet.rollout.release.ReleaseFixtures.EXPIRY;
import static keyfleet.rollout.release.ReleaseFixtures.manifest;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import keyfleet.rollout.ReleaseVersion;
import keyfleet.rollout.Sha256;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ReleaseManifestTest {
  /// Written by hand from the table in the package's description. If it changes, no earlier
  /// signature verifies any more.
  private static final String GOLDEN =
      """
      00000013 6b6579666c6565742d6d616e69666573742d31
      00000005 6167656e74
      00000005 312e342e32
      0000000b 6c696e75782f616d643634
      00000020 abababababababababababababababababababababababababababababababab
      00000008 0000000000100000
      00000004 00000003
      00000004 00000002
      00000003 312e2a
      00000005 302e392e37
      00000008 000000006b36ec80
      00000008 000000000000002a
      """
          .replaceAll("\\s", "");

  @Test
  void encoding_isTheGoldenOne() {
    assertEquals(GOLDEN, HexFormat.of().formatHex(manifest().signedBytes()));
  }

  @Test
  void anyChangedField_changesTheDigest() {
    ReleaseManifest m = manifest();
    Function<List<VersionPattern>, ReleaseManifest> from =
        list ->
            new ReleaseManifest(
                m.component(), m.version(), m.platform(), m.artifact(), 1, 3, list, EXPIRY, 42);
    List<ReleaseManifest> different =
        List.of(
            m,
            from.apply(m.allowedFrom()),
            from.apply(m.allowedFrom().reversed()),
            from.apply(List.of()),
            from.apply(List.of(new VersionPattern("1.*"))),
            with(m, 1_048_576, 4, 42),
            with(m, 1_048_576, 3, 43));
    Set<Sha256> digests = new HashSet<>(different.stream().map(ReleaseManifest::digest).toList());
    assertEquals(different.size(), digests.size());
  }

  private static ReleaseManifest with(ReleaseManifest m, long size, int protocol, long counter) {
    return new ReleaseManifest(
        m.component(),
        m.version(),
        m.platform(),
        m.artifact(),
        size,
        protocol,
        m.allowedFrom(),
        EXPIRY,
        counter);
  }

  @Test
  void invalidValues_areRejected() {
    ReleaseManifest m = manifest();
    assertThrows(IllegalArgumentException.class, () -> with(m, 0, 3, 42));
    assertThrows(IllegalArgumentException.class, () -> with(m, 1, -1, 42));
    assertThrows(IllegalArgumentException.class, () -> with(m, 1, 3, -1));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new ReleaseManifest(
                m.component(),
                m.version(),
                m.platform(),
                m.artifact(),
                1,
                3,
                List.of(),
                EXPIRY.plusNanos(1),
                42));
  }

  @ParameterizedTest
  @CsvSource({
    "1.*, 1.4, true",
    "1.*, 1.4.2, true",
    "1.*, 10.4, false",
    "1.*, 1, false",
    "1.4, 1.4, true",
    "1.4, 1.4.2, false",
    "1.4.*, 1.4.2-rc1, true",
    "none, none, true",
    "1.*, none, false"
  })
  void versionPattern_matchesExactlyOrByPrefix(String pattern, String version, boolean taken) {
    assertEquals(taken, new VersionPattern(pattern).matches(new ReleaseVersion(version)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "*", "1*", "*.1", "1.*.2", "1.**", " 1", ".*"})
  void otherPatterns_areRejected(String pattern) {
    assertThrows(IllegalArgumentException.class, () -> new VersionPattern(pattern));
  }
}
