package keyfleet.it.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.grpc.Status.Code;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import keyfleet.it.soak.AllowedRefusals.Scope;
import keyfleet.it.soak.KeptCiphertexts.KeptCiphertext;
import keyfleet.it.soak.PluginChecker.StartedCall;
import keyfleet.kms.v2.EncryptResponse;
import keyfleet.kms.v2.StatusResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Checks the soak's checks: planted errors are caught, and allowed behaviour passes.
class SoakChecksTest {
  private static final Duration SAMPLES = Duration.ofMillis(500);
  private static final long MEGABYTE = 1_000_000;

  private long now;
  private final KeptCiphertexts keptCiphertexts = new KeptCiphertexts(100, 10, new Random(1));
  private final PluginChecker checker = new PluginChecker(keptCiphertexts, () -> now);

  private void pass(Duration time) {
    now += time.toNanos();
  }

  private static ByteString bytes(String text) {
    return ByteString.copyFromUtf8(text);
  }

  private static EncryptResponse sealed(String keyId, String localKek, String text) {
    return EncryptResponse.newBuilder()
        .setKeyId(keyId)
        .setCiphertext(bytes(text))
        .putAnnotations("local-kek.kms.keyfleet.dev", bytes(localKek))
        .build();
  }

  private KeptCiphertext encrypt(String keyId, String localKek, String text) {
    return checker.checkAnswer(
        checker.begin("Encrypt"), bytes(text), sealed(keyId, localKek, text));
  }

  private static StatusResponse status(String keyId) {
    return StatusResponse.newBuilder().setVersion("v2").setHealthz("ok").setKeyId(keyId).build();
  }

  private void showStatus(String keyId) {
    checker.checkAnswer(checker.begin("Status"), status(keyId));
  }

  private static String failureOf(Runnable action) {
    return String.valueOf(assertThrows(SoakFailure.class, action::run).getMessage());
  }

  @Test
  void swappedPlaintext_isCaught() {
    KeptCiphertext one = encrypt("a", "kek", "one");
    StartedCall call = checker.begin("Decrypt", one);
    checker.checkAnswer(call, one, bytes("one"));
    String message = failureOf(() -> checker.checkAnswer(call, one, bytes("two")));
    assertTrue(message.contains("decrypts to other bytes"), message);
  }

  @ParameterizedTest
  @CsvSource({"INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "UNKNOWN", "INTERNAL"})
  void lostCiphertext_isCaughtInAnyFault(Code code) {
    KeptCiphertext lost = encrypt("a", "kek", "lost");
    checker.beginFault(SoakFault.KILL, Scope.EVERYTHING);
    String message = failureOf(() -> checker.checkRefusal(checker.begin("Decrypt", lost), code));
    assertTrue(message.contains(code.name()), message);
  }

  @Test
  void refusalWithoutFault_isCaught() {
    String message =
        failureOf(() -> checker.checkRefusal(checker.begin("Encrypt"), Code.UNAVAILABLE));
    assertTrue(message.contains("without any fault"), message);
  }

  @Test
  void kill_allowsRefusalsForAMomentAfterIt() {
    StartedCall before = checker.begin("Encrypt");
    pass(Duration.ofMillis(1));
    checker.beginFault(SoakFault.KILL, Scope.EVERYTHING);
    pass(Duration.ofSeconds(5));
    checker.checkRefusal(before, Code.UNAVAILABLE);
    checker.endFault();
    pass(AllowedRefusals.GRACE);
    checker.checkRefusal(checker.begin("Status"), Code.UNAVAILABLE);
    pass(Duration.ofNanos(1));
    failureOf(() -> checker.checkRefusal(checker.begin("Status"), Code.UNAVAILABLE));
  }

  @Test
  void remoteOutage_allowsRefusalsOfUnknownLocalKeksOnly() {
    KeptCiphertext old = encrypt("a", "old", "old");
    assertEquals(List.of(old), checker.onProcessKilled());
    KeptCiphertext met = encrypt("a", "new", "new");
    checker.beginFault(SoakFault.REMOTE_DOWN, Scope.UNKNOWN_LOCAL_KEKS);
    checker.checkRefusal(checker.begin("Decrypt", old), Code.UNAVAILABLE);
    String message =
        failureOf(() -> checker.checkRefusal(checker.begin("Decrypt", met), Code.UNAVAILABLE));
    assertTrue(message.contains("that the process knew"), message);
    failureOf(() -> checker.checkRefusal(checker.begin("Encrypt"), Code.UNAVAILABLE));
    failureOf(() -> checker.checkRefusal(checker.begin("Status"), Code.UNAVAILABLE));
  }

  @Test
  void answerOfAKilledProcess_isNotKnownToTheNext() {
    StartedCall late = checker.begin("Encrypt");
    checker.onProcessKilled();
    KeptCiphertext keptCiphertext =
        checker.checkAnswer(late, bytes("late"), sealed("a", "kek", "late"));
    assertFalse(checker.begin("Decrypt", keptCiphertext).kekKnown());
  }

  @Test
  void lockedStore_allowsNoRefusal() {
    checker.beginFault(SoakFault.STORE_LOCKED, Scope.NOTHING);
    String message =
        failureOf(() -> checker.checkRefusal(checker.begin("Encrypt"), Code.UNAVAILABLE));
    assertTrue(message.contains("STORE_LOCKED"), message);
  }

  @Test
  void returningKeyId_isCaught() {
    showStatus("a");
    checker.allowAnotherKeyId();
    StartedCall early = checker.begin("Status");
    encrypt("b", "kek", "text");
    checker.checkAnswer(early, status("a")); // it may have been answered before
    String message = failureOf(() -> showStatus("a"));
    assertTrue(message.contains("shows key_id a again, after b"), message);
    failureOf(() -> encrypt("a", "kek", "text"));
    showStatus("b");
  }

  @Test
  void unexpectedKeyId_isCaught() {
    showStatus("a");
    String message = failureOf(() -> encrypt("b", "kek", "text"));
    assertTrue(message.contains("without a rotation"), message);
  }

  @Test
  void unhealthyStatusWithAKeyId_isCaught() {
    StatusResponse sick = status("a").toBuilder().setHealthz("not well").build();
    failureOf(() -> checker.checkAnswer(checker.begin("Status"), sick));
  }

  @Test
  void firstFailure_isReported() {
    checker.throwIfFailed();
    checker.recordFailure(new SoakFailure("first"));
    checker.recordFailure(new SoakFailure("second"));
    assertEquals("first", failureOf(checker::throwIfFailed));
  }

  @ParameterizedTest
  @CsvSource({
    "600, 0, false", // flat
    "600, 40, false", // 100 to 140 MB in five minutes: a tenth in a third
    "600, 80, true",
    "100, 200, false" // 50 s: not checked
  })
  void growingMemory_isCaught(int samples, long growth, boolean caught) {
    MemoryTrend trend = new MemoryTrend(SAMPLES);
    LongStream.range(0, samples)
        .forEach(i -> trend.add(100 * MEGABYTE + growth * MEGABYTE * i / samples));
    if (caught) {
      assertTrue(failureOf(trend::check).contains("bytes resident"));
    } else {
      trend.check();
    }
  }

  @Test
  void peaksAndWarmUp_areNoGrowth() {
    MemoryTrend trend = new MemoryTrend(SAMPLES);
    LongStream.range(0, 600)
        .forEach(i -> trend.add(MEGABYTE * (i < 150 ? i : i % 10 == 0 ? 400 : 150)));
    trend.check();
    assertEquals(1.0, trend.figures().growth());
  }

  @Test
  void keptCiphertexts_areBounded_fair_andIncludeTheLastBeforeAKill() {
    for (int i = 0; i < 1_000; i++) {
      encrypt("a", "kek", "text-" + i);
    }
    assertEquals(100, keptCiphertexts.all().size());
    Set<ByteString> kept = new HashSet<>();
    keptCiphertexts.all().forEach(it -> kept.add(it.ciphertext()));
    long late = LongStream.range(500, 1_000).filter(i -> kept.contains(bytes("text-" + i))).count();
    assertTrue(late > 25 && late < 75, () -> late + " of 100 from the second half");
    assertEquals(
        LongStream.range(990, 1_000).mapToObj(i -> bytes("text-" + i)).toList(),
        checker.onProcessKilled().stream().map(KeptCiphertext::ciphertext).toList());
    assertEquals(110, keptCiphertexts.all().size());
  }

  @Test
  void tenMinutePlan_hasEveryFault_andOneRotationInTheMiddle() {
    for (long seed = 0; seed < 100; seed++) {
      List<SoakPlan.Step> steps = SoakPlan.draw(seed, Duration.ofMinutes(10)).steps();
      assertEquals(steps, SoakPlan.draw(seed, Duration.ofMinutes(10)).steps());
      EnumSet<SoakFault> kinds = EnumSet.noneOf(SoakFault.class);
      steps.forEach(it -> kinds.add(it.fault()));
      assertEquals(EnumSet.allOf(SoakFault.class), kinds, "seed " + seed);
      List<SoakPlan.Step> rotations =
          steps.stream().filter(it -> it.fault() == SoakFault.ROTATION).toList();
      assertEquals(1, rotations.size());
      long at = rotations.getFirst().at().toSeconds();
      assertTrue(at >= 300 && at <= 340, () -> "at " + at);
      assertTrue(steps.stream().noneMatch(it -> it.fault().isKill() && it.at().toSeconds() >= 360));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "--minutes, --minutes needs a value",
    "--minutes 0, '--minutes is 1 to 10000, not 0'",
    "--minutes ten, '--minutes is a 64-bit integer, not ten'",
    "--hours 1, there is no option --hours",
    "10, there is no option 10"
  })
  void invalidOption_printsOneSentence(String words, String message) {
    SoakOptions.UsageException thrown =
        assertThrows(
            SoakOptions.UsageException.class,
            () -> SoakOptions.parse(List.of(words.split(" ")), 1));
    assertEquals(message, thrown.getMessage());
  }

  @Test
  void noOption_meansTenMinutes() throws SoakOptions.UsageException {
    SoakOptions options = SoakOptions.parse(List.of(), 42);
    assertEquals(Duration.ofMinutes(10), options.length());
    assertEquals(42, options.seed());
  }
}
