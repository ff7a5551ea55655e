package keyfleet.kms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import keyfleet.kms.localkek.KeyHierarchy;
import keyfleet.kms.localkek.KmsCiphertext;
import keyfleet.kms.localkek.LocalKekLimits;
import keyfleet.kms.v2.DecryptResponse;
import keyfleet.kms.v2.EncryptResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The key hierarchy, line by line as the proposal's test plan names it.
final class KeyHierarchyTest {
  private static final int MANY = 10_000;
  private static final LocalKekLimits WIDE =
      new LocalKekLimits(1_000, 4_000, Duration.ofDays(7), 100);

  @TempDir Path folder;
  private final FakeRemoteProvider remote = new FakeRemoteProvider(1, 2);
  private final TestKeyring ring = new TestKeyring(remote);

  private KmsPluginFixture stand(KeyHierarchy keyHierarchy, LocalKekLimits limits) {
    return new KmsPluginFixture(folder.resolve("s.json"), remote, keyHierarchy, limits)
        .receiveKeystore(ring.keystore());
  }

  private KmsPluginFixture stand() {
    return stand(KeyHierarchy.ON, KmsPluginFixture.LIMITS);
  }

  private static ByteString localKek(EncryptResponse response) {
    return response.getAnnotationsOrThrow(KmsCiphertext.ANNOTATION);
  }

  @Test
  void localKek_isGeneratedForEncryption() {
    KmsPluginFixture kmsPluginFixture = stand();
    EncryptResponse one = kmsPluginFixture.encrypt("one");
    EncryptResponse two = kmsPluginFixture.encrypt("one");
    assertEquals(localKek(one), localKek(two));
    assertNotEquals(one.getCiphertext(), two.getCiphertext());
    assertEquals("one", kmsPluginFixture.decrypt(one));
  }

  @Test
  void localKek_isRotatedAfterAPeriodOfTime() {
    KmsPluginFixture kmsPluginFixture = stand();
    EncryptResponse before = kmsPluginFixture.encrypt("before");
    String keyId = kmsPluginFixture.keyId();
    kmsPluginFixture.advance(KmsPluginFixture.LIMITS.maxAge().minusSeconds(1));
    assertEquals(localKek(before), localKek(kmsPluginFixture.encrypt("not yet")));
    kmsPluginFixture.advance(Duration.ofSeconds(1));
    assertNotEquals(localKek(before), localKek(kmsPluginFixture.encrypt("after")));
    assertEquals(keyId, kmsPluginFixture.keyId());
    assertEquals("before", kmsPluginFixture.decrypt(before));
  }

  @Test
  void localKek_isRotatedAfterANumberOfOperations() {
    KmsPluginFixture kmsPluginFixture = stand();
    EncryptResponse first = kmsPluginFixture.encrypt("first");
    for (int i = 1; i < KmsPluginFixture.LIMITS.softUses(); i++) {
      assertEquals(localKek(first), localKek(kmsPluginFixture.encrypt("x")));
    }
    assertTrue(kmsPluginFixture.wokeReconciler.get(), "nobody was told that the local KEK is due");
    kmsPluginFixture.reconciler.reconcile();
    EncryptResponse next = kmsPluginFixture.encrypt("next");
    assertNotEquals(localKek(first), localKek(next));
    assertEquals(first.getKeyId(), next.getKeyId());
  }

  @Test
  void remote_isToldTheUidOfTheRequest() {
    EncryptResponse local = stand().encrypt("local");
    assertEquals("", remote.uid, "a local KEK was made for nobody");
    stand().decrypt(local);
    assertEquals(KmsPluginFixture.UID, remote.uid);
    remote.uid = "";
    KmsPluginFixture without = stand(KeyHierarchy.OFF, KmsPluginFixture.LIMITS);
    EncryptResponse own = without.encrypt("own");
    assertEquals(KmsPluginFixture.UID, remote.uid);
    remote.uid = "";
    without.decrypt(own);
    assertEquals(KmsPluginFixture.UID, remote.uid);
  }

  @Test
  void tenThousandEncrypts_callTheRemoteOncePerLocalKek() {
    KmsPluginFixture kmsPluginFixture = stand(KeyHierarchy.ON, WIDE);
    remote.resetCounts();
    var localKeks = new ArrayList<ByteString>();
    for (int i = 0; i < MANY; i++) {
      localKeks.add(localKek(kmsPluginFixture.encrypt("x" + i)));
      if (kmsPluginFixture.wokeReconciler.getAndSet(false)) {
        kmsPluginFixture.reconciler.reconcile();
      }
    }
    long distinct = localKeks.stream().distinct().count();
    assertEquals(MANY / WIDE.softUses(), distinct);
    assertEquals(distinct, remote.wraps.get()); // one for the next, one was made before
    assertEquals(0, remote.unwraps.get());
  }

  @Test
  void remoteThatAnswersOneCallInFive_failsNoEncrypt() {
    KmsPluginFixture kmsPluginFixture = stand(KeyHierarchy.ON, WIDE);
    remote.resetCounts();
    remote.answerOneIn(5);
    for (int i = 0; i < MANY; i++) {
      EncryptResponse sealed = kmsPluginFixture.encrypt("x" + i);
      assertEquals(kmsPluginFixture.keyId(), sealed.getKeyId());
      if (i % 10 == 0) {
        kmsPluginFixture.advance(Duration.ofSeconds(1));
      }
    }
    assertTrue(remote.wraps.get() >= MANY / WIDE.hardUses(), "no local KEK was replaced");
  }

  @Test
  void tenThousandDecryptsAfterRestart_callTheRemoteOncePerDistinctLocalKek() {
    KmsPluginFixture before = stand(KeyHierarchy.ON, WIDE);
    List<EncryptResponse> stored = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      stored.add(before.encrypt("v" + i));
      if (before.wokeReconciler.getAndSet(false)) {
        before.reconciler.reconcile();
      }
    }
    long distinct = stored.stream().map(KeyHierarchyTest::localKek).distinct().count();
    KmsPluginFixture after = stand(KeyHierarchy.ON, WIDE);
    remote.resetCounts();
    for (int i = 0; i < MANY; i++) {
      assertEquals("v" + i, after.decrypt(stored.get(i)));
    }
    assertEquals(distinct, remote.unwraps.get());
    assertEquals(0, remote.wraps.get());
  }

  @Test
  void concurrentMissesOfOneLocalKek_shareOneRemoteCall() {
    EncryptResponse stored = stand().encrypt("shared");
    KmsPluginFixture after = stand();
    remote.resetCounts();
    CountDownLatch opened = remote.holdCalls();
    List<RecordingStreamObserver<DecryptResponse>> calls = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      calls.add(after.decryptCall(KmsPluginFixture.decryptRequestFor(stored).build()));
    }
    assertFalse(calls.getFirst().isAnswered());
    opened.countDown();
    calls.forEach(call -> assertEquals("shared", call.answer().getPlaintext().toStringUtf8()));
    assertEquals(1, remote.calls());
  }

  @Test
  void hierarchyOff_remoteIsCalledForEveryEncryptAndDecrypt() {
    KmsPluginFixture kmsPluginFixture = stand(KeyHierarchy.OFF, KmsPluginFixture.LIMITS);
    remote.resetCounts();
    List<EncryptResponse> stored = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      stored.add(kmsPluginFixture.encrypt("x" + i));
    }
    assertEquals(20, remote.wraps.get());
    for (int i = 0; i < 20; i++) {
      assertEquals("x" + i, kmsPluginFixture.decrypt(stored.get(i)));
    }
    assertEquals(20, remote.unwraps.get());
    assertTrue(stored.getFirst().getAnnotationsMap().isEmpty());
  }

  @Test
  void hierarchySwitched_readsWhatIsStoredBothWays() {
    EncryptResponse withLocal = stand(KeyHierarchy.ON, KmsPluginFixture.LIMITS).encrypt("with");
    KmsPluginFixture off = stand(KeyHierarchy.OFF, KmsPluginFixture.LIMITS);
    EncryptResponse without = off.encrypt("without");
    assertEquals("with", off.decrypt(withLocal));
    KmsPluginFixture on = stand(KeyHierarchy.ON, KmsPluginFixture.LIMITS);
    assertEquals("without", on.decrypt(without));
    assertEquals("with", on.decrypt(withLocal));
    assertEquals(withLocal.getKeyId(), without.getKeyId());
  }

  @Test
  void hardLimit_withTheRemoteDown_stopsEncryptAndStatusTogether() {
    KmsPluginFixture kmsPluginFixture = stand();
    EncryptResponse first = kmsPluginFixture.encrypt("first");
    remote.fail();
    for (int i = 1; i < KmsPluginFixture.LIMITS.hardUses(); i++) {
      kmsPluginFixture.encrypt("x");
      if (kmsPluginFixture.wokeReconciler.getAndSet(false)) {
        kmsPluginFixture.reconciler.reconcile();
      }
    }
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, kmsPluginFixture.encryptRefusal().getCode());
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, kmsPluginFixture.statusCall().refusal().getCode());
    assertEquals("first", kmsPluginFixture.decrypt(first));
    remote.recover();
    kmsPluginFixture.advance(Duration.ofMinutes(2));
    assertEquals(first.getKeyId(), kmsPluginFixture.encrypt("again").getKeyId());
  }

  @Test
  void twiceTheAge_withTheRemoteDown_stopsEncryptAndStatusTogether() {
    KmsPluginFixture kmsPluginFixture = stand();
    remote.fail();
    kmsPluginFixture.advance(KmsPluginFixture.LIMITS.maxAge().multipliedBy(2).minusSeconds(1));
    kmsPluginFixture.encrypt("still");
    kmsPluginFixture.advance(Duration.ofSeconds(1));
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, kmsPluginFixture.encryptRefusal().getCode());
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, kmsPluginFixture.statusCall().refusal().getCode());
  }

  @Test
  void cache_isBounded() {
    LocalKekLimits few = new LocalKekLimits(1, 200, Duration.ofDays(7), 3);
    KmsPluginFixture kmsPluginFixture = stand(KeyHierarchy.ON, few);
    List<EncryptResponse> stored = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      stored.add(kmsPluginFixture.encrypt("v" + i));
      kmsPluginFixture.reconciler.reconcile();
    }
    assertEquals(3, kmsPluginFixture.cache.stats().size());
    remote.resetCounts();
    assertEquals("v0", kmsPluginFixture.decrypt(stored.getFirst()));
    assertEquals(1, remote.unwraps.get());
    assertEquals(3, kmsPluginFixture.cache.stats().size());
  }

  @Test
  void logsAndMetrics_areGeneratedAsExpected() {
    KmsPluginFixture kmsPluginFixture = stand();
    EncryptResponse sealed = kmsPluginFixture.encrypt("hush");
    kmsPluginFixture.decrypt(sealed);
    String hash = new KmsKeyId(sealed.getKeyId()).hash();
    String lines =
        kmsPluginFixture.events.stream()
            .map(PluginEvent::message)
            .collect(Collectors.joining("\n"));
    assertTrue(
        lines.contains(
            "Encrypt uid=%s code=OK key_id_hash=%s annotations=[%s]"
                .formatted(KmsPluginFixture.UID, hash, KmsCiphertext.ANNOTATION)),
        lines);
    assertTrue(
        lines.contains("Decrypt uid=" + KmsPluginFixture.UID + " code=OK key_id_hash=" + hash),
        lines);
    assertFalse(lines.contains("hush"), lines);
    assertEquals(
        List.of(
            "keyfleet_kms_latency_seconds", "keyfleet_kms_operations", "keyfleet_kms_remote_calls"),
        kmsPluginFixture.metrics.collect().stream()
            .map(it -> it.getMetadata().getName())
            .sorted()
            .toList());
  }
}
