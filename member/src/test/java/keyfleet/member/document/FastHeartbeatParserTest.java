package keyfleet.member.document;

import static keyfleet.member.MemberFixtures.origin;
import static keyfleet.member.MemberFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.Proof;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Heartbeat.Failed;
import keyfleet.keyring.Heartbeat.Host;
import keyfleet.keyring.Heartbeat.LoadedVersion;
import keyfleet.keyring.Heartbeat.ProcessInfo;
import keyfleet.keyring.Heartbeat.ProofStatus;
import keyfleet.keyring.Heartbeat.Proved;
import keyfleet.keyring.Heartbeat.Untried;
import keyfleet.store.Document;
import keyfleet.store.MalformedValueException;
import keyfleet.store.StoreTime;
import keyfleet.store.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The fast parser never gives another result than the general parser.
class FastHeartbeatParserTest {
  private static final StoreTime AT = new StoreTime(1_000);
  private static final List<String> WORDS = List.of("", "api", "host-1", "a b", "0.1.0");

  private static Heartbeat randomHeartbeat(Random random) {
    Map<KekVersion, LoadedVersion> loadedVersions = new HashMap<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      loadedVersions.put(
          v(1 + random.nextInt(150)), new LoadedVersion(word(random), proof(random)));
    }
    Host host =
        new Host(
            word(random),
            random.nextInt(100_000),
            word(random),
            Instant.ofEpochMilli(random.nextInt()));
    return new Heartbeat(
        new ProcessInfo(word(random), word(random), word(random), word(random), host),
        loadedVersions,
        random.nextBoolean() ? v(1 + random.nextInt(3)) : null,
        random.nextInt(3),
        random.nextInt(1_000),
        HeartbeatDocument.toInstant(AT));
  }

  private static String word(Random random) {
    return WORDS.get(random.nextInt(WORDS.size()));
  }

  private static ProofStatus proof(Random random) {
    return switch (random.nextInt(3)) {
      case 0 -> new Untried();
      case 1 -> new Failed();
      default -> new Proved(Proof.parse("%064x".formatted(random.nextInt(100))).orElseThrow());
    };
  }

  private static String toText(Heartbeat beat) {
    return HeartbeatDocument.toDocument(beat, "n-1").toValue().text();
  }

  @Test
  void writtenHeartbeat_isParsedFast() {
    Random random = new Random(11);
    StringPool common = new StringPool();
    for (int i = 0; i < 2_000; i++) {
      Heartbeat beat = randomHeartbeat(random);
      assertEquals(Optional.of(beat), FastHeartbeatParser.parseUsualForm(toText(beat), AT, common));
    }
  }

  /// One character is added, removed or replaced, or a part is repeated: mostly malformed,
  /// sometimes another heartbeat.
  @Test
  void changedHeartbeat_isReadAsTheGeneralParserReadsIt() {
    Random random = new Random(12);
    int wellFormed = 0;
    for (int i = 0; i < 40_000; i++) {
      String changed = mutate(toText(randomHeartbeat(random)), random);
      Optional<Heartbeat> parsed = parseGeneral(changed);
      assertEquals(parsed, parseFast(changed), changed);
      wellFormed += parsed.isPresent() ? 1 : 0;
    }
    assertNotEquals(0, wellFormed);
    assertNotEquals(40_000, wellFormed);
  }

  private static String mutate(String text, Random random) {
    String some = "\"\\{}[],:0129-+.eftn \u0001\u007f\u00e9aZ";
    StringBuilder changed = new StringBuilder(text);
    int at = random.nextInt(text.length());
    char c = some.charAt(random.nextInt(some.length()));
    switch (random.nextInt(4)) {
      case 0 -> changed.insert(at, c);
      case 1 -> changed.deleteCharAt(at);
      case 2 -> changed.setCharAt(at, c);
      default -> changed.insert(at, text, at, Math.min(text.length(), at + random.nextInt(30)));
    }
    return changed.toString();
  }

  private static Optional<Heartbeat> parseGeneral(String text) {
    try {
      return Optional.of(HeartbeatDocument.parse(Document.parse(Value.of(text)), AT));
    } catch (MalformedValueException e) {
      return Optional.empty();
    }
  }

  private static Optional<Heartbeat> parseFast(String text) {
    try {
      return Optional.of(FastHeartbeatParser.parse(Value.of(text), AT, new StringPool()));
    } catch (MalformedValueException e) {
      return Optional.empty();
    }
  }

  /// The general parser alone decides whether each of these is a heartbeat.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"pid\":4711>\"pid\":04711",
        "\"pid\":4711>\"pid\":-1",
        "\"pid\":4711>\"pid\":9223372036854775807",
        "\"pid\":4711>\"pid\":9223372036854775808",
        "\"pid\":4711> \"pid\":4711",
        "\"role\":\"api\">\"role\":\"\\u0061pi\"",
        "\"role\":\"api\">\"role\":\"\u00e4\"",
        "\"epoch\":7>\"epoch\":7,\"later\":1",
        "\"epoch\":7>\"epoch\":7,\"epoch\":7",
        "\"providers\":{\"1\">\"providers\":{\"1\":\"env\",\"1\"",
        "[1,2]>[2,1]",
        "[1,2]>[1,1]",
        "[1,2]>[1]",
        "[1,2]>[0,1,2]",
        "\"failed\">\"FAILED\"",
        "\"failed\">null",
        "2026-11-16>2026-11-31",
      })
  void unusualForm_isReadAsTheGeneralParserReadsIt(String change) {
    Heartbeat beat =
        new Heartbeat(
            origin("api-1", "run-1"),
            Map.of(
                v(1), new LoadedVersion("env", new Failed()),
                v(2),
                    new LoadedVersion(
                        "env", new Proved(Proof.parse("ab".repeat(32)).orElseThrow()))),
            v(1),
            1,
            7,
            HeartbeatDocument.toInstant(AT));
    String usual = toText(beat);
    String[] parts = change.split(">", 2);
    String unusual = usual.replace(parts[0], parts[1]);
    assertNotEquals(usual, unusual);
    assertEquals(
        Optional.empty(), FastHeartbeatParser.parseUsualForm(unusual, AT, new StringPool()));
    assertEquals(parseGeneral(unusual), parseFast(unusual));
  }
}
