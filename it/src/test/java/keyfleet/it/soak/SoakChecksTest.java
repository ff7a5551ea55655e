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

/// Planted lies: what a soak must catch is caught, and what is allowed is not.
class SoakChecksTest {
  private static final Duration SAMPLES = Duration.ofMillis(500);
  private static final long MEGABYTE = 1_000_000;

  private long now;
  private final KeptCiphertexts keepsakes = new KeptCiphertexts(100, 10, new Random(1));
  private final PluginChecker jury = new PluginChecker(keepsakes, () -> now);

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

  private KeptCiphertext encrypted(String keyId, String localKek, String text) {
    return jury.hear(jury.begin("Encrypt"), bytes(text), sealed(keyId, localKek, text));
  }

  private static StatusResponse status(String keyId) {
    return StatusResponse.newBuilder().setVersion("v2").setHealthz("ok").setKeyId(keyId).build();
  }

  private void showStatus(String keyId) {
    jury.hear(jury.begin("Status"), status(keyId));
  }

  private static String broken(Runnable lie) {
    return String.valueOf(assertThrows(SoakFailure.class, lie::run).getMessage());
  }

  @Test
  void swappedPlaintext_isCaught() {
    KeptCiphertext one = encrypted("a", "kek", "one");
    StartedCall call = jury.begin("Decrypt", one);
    jury.hear(call, one, bytes("one"));
    String words = broken(() -> jury.hear(call, one, bytes("two")));
    assertTrue(words.contains("opens as other bytes"), words);
  }

  @ParameterizedTest
  @CsvSource({"INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "UNKNOWN", "INTERNAL"})
  void lostCiphertext_isCaughtInAnyFault(Code code) {
    KeptCiphertext lost = encrypted("a", "kek", "lost");
    jury.begin(SoakFault.KILL, Scope.EVERYTHING);
    String words = broken(() -> jury.hearRefusal(jury.begin("Decrypt", lost), code));
    assertTrue(words.contains(code.name()), words);
  }

  @Test
  void refusalWithoutFault_isCaught() {
    String words = broken(() -> jury.hearRefusal(jury.begin("Encrypt"), Code.UNAVAILABLE));
    assertTrue(words.contains("without any fault"), words);
  }

  @Test
  void kill_excusesForAMomentAfterIt() {
    StartedCall before = jury.begin("Encrypt");
    pass(Duration.ofMillis(1));
    jury.begin(SoakFault.KILL, Scope.EVERYTHING);
    pass(Duration.ofSeconds(5));
    jury.hearRefusal(before, Code.UNAVAILABLE);
    jury.endTrouble();
    pass(AllowedRefusals.GRACE);
    jury.hearRefusal(jury.begin("Status"), Code.UNAVAILABLE);
    pass(Duration.ofNanos(1));
    broken(() -> jury.hearRefusal(jury.begin("Status"), Code.UNAVAILABLE));
  }

  @Test
  void remoteThatIsGone_excusesUnmetLocalKeksAlone() {
    KeptCiphertext old = encrypted("a", "old", "old");
    assertEquals(List.of(old), jury.buryProcess());
    KeptCiphertext met = encrypted("a", "new", "new");
    jury.begin(SoakFault.REMOTE_DOWN, Scope.UNMET_LOCAL_KEKS);
    jury.hearRefusal(jury.begin("Decrypt", old), Code.UNAVAILABLE);
    String words = broken(() -> jury.hearRefusal(jury.begin("Decrypt", met), Code.UNAVAILABLE));
    assertTrue(words.contains("that the process knew"), words);
    broken(() -> jury.hearRefusal(jury.begin("Encrypt"), Code.UNAVAILABLE));
    broken(() -> jury.hearRefusal(jury.begin("Status"), Code.UNAVAILABLE));
  }

  @Test
  void answerOfADeadProcess_teachesTheNextNothing() {
    StartedCall late = jury.begin("Encrypt");
    jury.buryProcess();
    KeptCiphertext kept = jury.hear(late, bytes("late"), sealed("a", "kek", "late"));
    assertFalse(jury.begin("Decrypt", kept).met());
  }

  @Test
  void lockedStore_excusesNothing() {
    jury.begin(SoakFault.STORE_LOCKED, Scope.NOTHING);
    String words = broken(() -> jury.hearRefusal(jury.begin("Encrypt"), Code.UNAVAILABLE));
    assertTrue(words.contains("STORE_LOCKED"), words);
  }

  @Test
  void returningKeyId_isCaught() {
    showStatus("a");
    jury.expectAnotherKeyId();
    StartedCall early = jury.begin("Status");
    encrypted("b", "kek", "text");
    jury.hear(early, status("a")); // it may have been answered before
    String words = broken(() -> showStatus("a"));
    assertTrue(words.contains("shows key_id a again, after b"), words);
    broken(() -> encrypted("a", "kek", "text"));
    showStatus("b");
  }

  @Test
  void keyIdThatNobodyRotatedTo_isCaught() {
    showStatus("a");
    String words = broken(() -> encrypted("b", "kek", "text"));
    assertTrue(words.contains("nobody rotated"), words);
  }

  @Test
  void troubleBesideAKeyId_isCaught() {
    StatusResponse sick = status("a").toBuilder().setHealthz("not well").build();
    broken(() -> jury.hear(jury.begin("Status"), sick));
  }

  @Test
  void firstBrokenPromise_isTheOneThatCounts() {
    jury.check();
    jury.remember(new SoakFailure("first"));
    jury.remember(new SoakFailure("second"));
    assertEquals("first", broken(jury::check));
  }

  @ParameterizedTest
  @CsvSource({
    "600, 0, false", // flat
    "600, 40, false", // 100 to 140 MB in five minutes: a tenth in a third
    "600, 80, true",
    "100, 200, false" // 50 s: not judged
  })
  void memoryThatGrows_isCaught(int samples, long growth, boolean caught) {
    MemoryTrend trend = new MemoryTrend(SAMPLES);
    LongStream.range(0, samples)
        .forEach(i -> trend.add(100 * MEGABYTE + growth * MEGABYTE * i / samples));
    if (caught) {
      assertTrue(broken(trend::check).contains("bytes resident"));
    } else {
      trend.check();
    }
  }

  @Test
  void peaksAndAWarmStart_areNoGrowth() {
    MemoryTrend trend = new MemoryTrend(SAMPLES);
    LongStream.range(0, 600)
        .forEach(i -> trend.add(MEGABYTE * (i < 150 ? i : i % 10 == 0 ? 400 : 150)));
    trend.check();
    assertEquals(1.0, trend.figures().growth());
  }

  @Test
  void keepsakes_areBounded_fair_andHoldTheLastBeforeAKill() {
    for (int i = 0; i < 1_000; i++) {
      encrypted("a", "kek", "text-" + i);
    }
    assertEquals(100, keepsakes.all().size());
    Set<ByteString> kept = new HashSet<>();
    keepsakes.all().forEach(it -> kept.add(it.text()));
    long late = LongStream.range(500, 1_000).filter(i -> kept.contains(bytes("text-" + i))).count();
    assertTrue(late > 25 && late < 75, () -> late + " of 100 from the second half");
    assertEquals(
        LongStream.range(990, 1_000).mapToObj(i -> bytes("text-" + i)).toList(),
        jury.buryProcess().stream().map(KeptCiphertext::text).toList());
    assertEquals(110, keepsakes.all().size());
  }

  @Test
  void planOfTenMinutes_hasEveryTrouble_andOneRotationInTheMiddle() {
    for (long seed = 0; seed < 100; seed++) {
      List<SoakPlan.Step> steps = SoakPlan.drawn(seed, Duration.ofMinutes(10)).steps();
      assertEquals(steps, SoakPlan.drawn(seed, Duration.ofMinutes(10)).steps());
      EnumSet<SoakFault> kinds = EnumSet.noneOf(SoakFault.class);
      steps.forEach(it -> kinds.add(it.trouble()));
      assertEquals(EnumSet.allOf(SoakFault.class), kinds, "seed " + seed);
      List<SoakPlan.Step> rotations =
          steps.stream().filter(it -> it.trouble() == SoakFault.ROTATION).toList();
      assertEquals(1, rotations.size());
      long at = rotations.getFirst().at().toSeconds();
      assertTrue(at >= 300 && at <= 340, () -> "at " + at);
      assertTrue(
          steps.stream().noneMatch(it -> it.trouble().kills() && it.at().toSeconds() >= 360));
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
  void badOption_isOneSentence(String words, String sentence) {
    SoakOptions.UsageException misused =
        assertThrows(
            SoakOptions.UsageException.class,
            () -> SoakOptions.parse(List.of(words.split(" ")), 1));
    assertEquals(sentence, misused.getMessage());
  }

  @Test
  void noOption_meansTenMinutes() throws SoakOptions.UsageException {
    SoakOptions order = SoakOptions.parse(List.of(), 42);
    assertEquals(Duration.ofMinutes(10), order.length());
    assertEquals(42, order.seed());
  }
}
