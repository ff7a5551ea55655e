package keyfleet.member.document;

import static keyfleet.member.MemberFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
import keyfleet.store.MalformedValueException;
import keyfleet.store.StoreTime;
import keyfleet.store.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// What is read from heartbeats in other forms than the written one, and which forms are malformed.
class HeartbeatDocumentTest {
  private static final StoreTime AT = new StoreTime(1_000);
  private static final int DRAWN = 500;
  private static final List<String> WORDS = List.of("", "api", "host-1", "a b", "0.1.0", "\u00e4");
  private static final LoadedVersion PROVED =
      new LoadedVersion("env", new Proved(Proof.parse("ab".repeat(32)).orElseThrow()));
  private static final LoadedVersion FAILED = new LoadedVersion("env", new Failed());

  /// A field of the document: its name and value.
  private static final Pattern FIELD =
      Pattern.compile("\"(\\w+)\":(\"[^\"]*\"|\\d+|\\[[^]]*]|\\{[^}]*})");

  private static final List<String> REQUIRED =
      List.of(
          "instance",
          "run",
          "hostname",
          "pid",
          "pod",
          "role",
          "loaded_kek_versions",
          "providers",
          "proofs",
          "epoch",
          "protocol",
          "version",
          "started_at");

  private static Heartbeat beat(long pid, String role, Map<KekVersion, LoadedVersion> loaded) {
    Host host = new Host("host-1", pid, "", Instant.ofEpochSecond(1_800_000_000));
    ProcessInfo process = new ProcessInfo("api-1", "run-1", role, "0.1.0", host);
    return new Heartbeat(process, loaded, v(1), 1, 7, HeartbeatDocument.toInstant(AT));
  }

  private static Heartbeat beat() {
    return beat(4711, "api", Map.of(v(1), FAILED, v(2), PROVED));
  }

  private static String toText(Heartbeat beat) {
    return HeartbeatDocument.toDocument(beat, "n-1").toValue().text();
  }

  private static Heartbeat parse(String text) {
    return HeartbeatDocument.parse(Value.of(text), AT);
  }

  /// The text of [#beat] with one part replaced.
  private static String change(String part, String replacement) {
    String written = toText(beat());
    String changed = written.replace(part, replacement);
    assertNotEquals(written, changed);
    return changed;
  }

  static Stream<Arguments> otherForms() {
    Map<KekVersion, LoadedVersion> both = Map.of(v(1), FAILED, v(2), PROVED);
    LoadedVersion untried = new LoadedVersion("env", new Untried());
    return Stream.of(
        arguments("\"pid\":4711", "\"pid\":-1", beat(-1, "api", both)),
        arguments(
            "\"pid\":4711",
            "\"pid\":9223372036854775807",
            beat(9_223_372_036_854_775_807L, "api", both)),
        arguments("\"pid\":4711", " \"pid\" :\n4711 ", beat()),
        arguments("\"role\":\"api\"", "\"role\":\"\\u0061pi\"", beat()),
        arguments("\"role\":\"api\"", "\"role\":\"\u00e4\"", beat(4711, "\u00e4", both)),
        arguments("\"role\":\"api\"", "\"r\\u006fle\":\"api\"", beat()),
        arguments("\"epoch\":7", "\"epoch\":7,\"later\":1", beat()),
        arguments("\"providers\":{", "\"providers\":{\"9\":1.5,", beat()),
        arguments("\"proofs\":{", "\"proofs\":{\"9\":[],", beat()),
        arguments("[1,2]", "[2,1]", beat()),
        arguments("[1,2]", "[1,1]", beat(4711, "api", Map.of(v(1), FAILED))),
        arguments("[1,2]", "[1]", beat(4711, "api", Map.of(v(1), FAILED))),
        arguments("\"failed\"", "null", beat(4711, "api", Map.of(v(1), untried, v(2), PROVED))));
  }

  @ParameterizedTest
  @MethodSource("otherForms")
  void otherForm_isReadToo(String part, String replacement, Heartbeat expected) {
    assertEquals(expected, parse(change(part, replacement)));
  }

  static Stream<Arguments> malformedForms() {
    return Stream.of(
        arguments("\"pid\":4711", "\"pid\":04711", "not JSON"),
        arguments("\"pid\":4711", "\"pid\":9223372036854775808", "not JSON"),
        arguments("\"pid\":4711", "\"pid\":1.5", "field pid has the wrong type"),
        arguments("\"pid\":4711", "\"pid\":null", "field pid is missing"),
        arguments("\"epoch\":7", "\"epoch\":7,\"later\":9223372036854775808", "not JSON"),
        arguments(
            "\"epoch\":7", "\"epoch\":7,\"epoch\":7", "duplicate field in a JSON object: epoch"),
        arguments(
            "\"epoch\":7",
            "\"epoch\":7,\"later\":null,\"later\":1",
            "duplicate field in a JSON object: later"),
        arguments(
            "\"providers\":{",
            "\"providers\":{\"1\":\"env\",",
            "duplicate field in a JSON object: 1"),
        arguments("\"providers\":{\"1\"", "\"providers\":{\"3\"", "field 1 is missing"),
        arguments("[1,2]", "[1,2,3]", "field 3 is missing"),
        arguments("[1,2]", "[1,null]", "null in a list"),
        arguments("[1,2]", "[1,\"2\"]", "field loaded_kek_versions has the wrong type"),
        arguments("[1,2]", "[1,4294967298]", "the number is too large: 4294967298"),
        arguments("\"failed\"", "\"FAILED\"", "the proof is not 32 bytes in hex"),
        arguments("\"failed\"", "7", "field 1 has the wrong type"),
        arguments("2027-01-15", "2027-02-30", "not a date: 2027-02-30T08:00:00Z"));
  }

  @ParameterizedTest
  @MethodSource("malformedForms")
  void malformedForm_isRefusedWithItsReason(String part, String replacement, String reason) {
    String text = change(part, replacement);
    var e = assertThrows(MalformedValueException.class, () -> parse(text));
    assertEquals(reason, e.getMessage());
  }

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

  private static <T> T any(List<T> items, Random random) {
    return items.get(random.nextInt(items.size()));
  }

  private static String word(Random random) {
    return any(WORDS, random);
  }

  private static ProofStatus proof(Random random) {
    return switch (random.nextInt(3)) {
      case 0 -> new Untried();
      case 1 -> new Failed();
      default -> new Proved(Proof.parse("%064x".formatted(random.nextInt(100))).orElseThrow());
    };
  }

  private static List<String> fields(String text) {
    return FIELD
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private static String join(List<String> fields) {
    return "{" + String.join(",", fields) + "}";
  }

  /// Changes that leave the heartbeat as it was.
  enum Harmless {
    NONE((fields, _) -> fields),
    OTHER_ORDER((fields, random) -> {
      Collections.shuffle(fields, random);
      return fields;
    }),
    FIELD_OF_A_NEWER_VERSION((fields, random) -> {
      String value = any(List.of("1.5", "true", "null", "-1", "\"x\"", "{\"a\":[[{}]]}"), random);
      fields.add(random.nextInt(fields.size() + 1), "\"later\":" + value);
      return fields;
    });

    @SuppressWarnings("ImmutableEnumChecker") // a function of its arguments alone
    private final BiFunction<List<String>, Random, List<String>> change;

    Harmless(BiFunction<List<String>, Random, List<String>> change) {
      this.change = change;
    }
  }

  @ParameterizedTest
  @EnumSource
  void harmlessChange_leavesTheHeartbeatAsItWas(Harmless harmless) {
    for (int seed = 0; seed < DRAWN; seed++) {
      Random random = new Random(seed);
      Heartbeat beat = randomHeartbeat(random);
      String text = join(harmless.change.apply(fields(toText(beat)), random));
      assertEquals(beat, parse(text), text);
    }
  }

  /// Changes that no heartbeat survives.
  enum Damage {
    FIELD_MISSING((text, random) -> {
      List<String> fields = fields(text);
      fields.remove(anyRequired(fields, random));
      return join(fields);
    }),
    FIELD_NULL((text, random) -> replaceValue(text, random, _ -> "null")),
    WRONG_TYPE((text, random) ->
        replaceValue(text, random, value -> value.startsWith("\"") ? "[\"x\"]" : "\"x\"")),
    FIELD_TWICE((text, random) -> {
      List<String> fields = fields(text);
      fields.add(random.nextInt(fields.size() + 1), any(fields, random));
      return join(fields);
    }),
    CUT_OFF((text, random) -> text.substring(0, random.nextInt(text.length()))),
    TEXT_AFTER_IT((text, random) -> text + any(List.of("{}", "x", ",", "}", "\"\""), random)),
    QUOTE_LOST((text, random) -> {
      int at = text.indexOf('"', random.nextInt(text.lastIndexOf('"')));
      return text.substring(0, at) + text.substring(at + 1);
    }),
    CONTROL_CHARACTER((text, random) -> {
      int at = 1 + random.nextInt(text.length() - 1);
      return text.substring(0, at) + '\u0001' + text.substring(at);
    }),
    TOO_DEEP((text, _) ->
        text.replaceFirst("\\{", "{\"later\":" + "[".repeat(40) + "]".repeat(40) + ","));

    @SuppressWarnings("ImmutableEnumChecker") // a function of its arguments alone
    private final BiFunction<String, Random, String> change;

    Damage(BiFunction<String, Random, String> change) {
      this.change = change;
    }
  }

  private static String anyRequired(List<String> fields, Random random) {
    String start = "\"" + any(REQUIRED, random) + "\":";
    return fields.stream().filter(it -> it.startsWith(start)).findFirst().orElseThrow();
  }

  private static String replaceValue(String text, Random random, UnaryOperator<String> change) {
    List<String> fields = fields(text);
    String field = anyRequired(fields, random);
    int value = field.indexOf(':') + 1;
    fields.set(
        fields.indexOf(field), field.substring(0, value) + change.apply(field.substring(value)));
    return join(fields);
  }

  @ParameterizedTest
  @EnumSource
  void damage_makesTheHeartbeatMalformed(Damage damage) {
    for (int seed = 0; seed < DRAWN; seed++) {
      Random random = new Random(seed);
      String text = damage.change.apply(toText(randomHeartbeat(random)), random);
      assertThrows(MalformedValueException.class, () -> parse(text), text);
    }
  }

  /// The tests above change every field that this one counts.
  @Test
  void changedFields_areAllFieldsOfTheDocument() {
    assertEquals(REQUIRED.size() + 3, fields(toText(beat())).size());
    assertEquals(toText(beat()), join(fields(toText(beat()))));
  }

  /// Without its text, as MongoDB's engine reads it.
  @Test
  void storedDocument_isReadAsItsTextIs() {
    Value stored = Value.ofStored(() -> HeartbeatDocument.toDocument(beat(), "n-1"));
    assertEquals(beat(), HeartbeatDocument.parse(stored, AT));
    assertEquals(toText(beat()), stored.text());
  }
}
