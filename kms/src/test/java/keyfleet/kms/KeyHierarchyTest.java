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
import keyfleet.member.process.ProcessEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The key hierarchy, following the test plan of the Kubernetes proposal line by line.
final class KeyHierarchyTest {
  private static final int MANY = 10_000;
  private static final LocalKekLimits WIDE =
      new LocalKekLimits(1_000, 4_000, Duration.ofDays(7), 100);

  @TempDir Path folder;
  private final FakeRemoteProvider remote = new FakeRemoteProvider(1, 2);
  private final TestKeyring keyring = new TestKeyring(remote);

  private KmsPluginFixture plugin(KeyHierarchy hierarchy, LocalKekLimits limits) {
    return new KmsPluginFixture(folder.resolve("s.json"), remote, hierarchy, limits)
        .receiveKeystore(keyring.keystore());
  }

  private KmsPluginFixture plugin() {
    return plugin(KeyHierarchy.ON, KmsPluginFixture.LIMITS);
  }

  private static ByteString localKek(EncryptResponse response) {
    return response.getAnnotationsOrThrow(KmsCiphertext.ANNOTATION);
  }

  @Test
  void localKek_isGeneratedForEncryption() {
    KmsPluginFixture plugin = plugin();
    EncryptResponse one = plugin.encrypt("one");
    EncryptResponse two = plugin.encrypt("one");
    assertEquals(localKek(one), localKek(two));
    assertNotEquals(one.getCiphertext(), two.getCiphertext());
    assertEquals("one", plugin.decrypt(one));
  }

  @Test
  void localKek_isRotatedAfterAPeriodOfTime() {
    KmsPluginFixture plugin = plugin();
    EncryptResponse before = plugin.encrypt("before");
    String keyId = plugin.keyId();
    plugin.advance(KmsPluginFixture.LIMITS.maxAge().minusSeconds(1));
    assertEquals(localKek(before), localKek(plugin.encrypt("not yet")));
    plugin.advance(Duration.ofSeconds(1));
    assertNotEquals(localKek(before), localKek(plugin.encrypt("after")));
    assertEquals(keyId, plugin.keyId());
    assertEquals("before", plugin.decrypt(before));
  }

  @Test
  void localKek_isRotatedAfterANumberOfOperations() {
    KmsPluginFixture plugin = plugin();
    EncryptResponse first = plugin.encrypt("first");
    for (int i = 1; i < KmsPluginFixture.LIMITS.softUses(); i++) {
      assertEquals(localKek(first), localKek(plugin.encrypt("x")));
    }
    assertTrue(
        plugin.wokeReconciler.get(), "the reconciler was not woken for a local KEK that is due");
    plugin.reconciler.reconcile();
    EncryptResponse next = plugin.encrypt("next");
    assertNotEquals(localKek(first), localKek(next));
    assertEquals(first.getKeyId(), next.getKeyId());
  }

  @Test
  void remote_receivesTheUidOfTheRequest() {
    EncryptResponse local = plugin().encrypt("local");
    assertEquals("", remote.uid, "making a local KEK has no request UID");
    plugin().decrypt(local);
    assertEquals(KmsPluginFixture.UID, remote.uid);
    remote.uid = "";
    KmsPluginFixture without = plugin(KeyHierarchy.OFF, KmsPluginFixture.LIMITS);
    EncryptResponse own = without.encrypt("own");
    assertEquals(KmsPluginFixture.UID, remote.uid);
    remote.uid = "";
    without.decrypt(own);
    assertEquals(KmsPluginFixture.UID, remote.uid);
  }

  @Test
  void tenThousandEncrypts_callTheRemoteOncePerLocalKek() {
    KmsPluginFixture plugin = plugin(KeyHierarchy.ON, WIDE);
    remote.resetCounts();
    var localKeks = new ArrayList<ByteString>();
    for (int i = 0; i < MANY; i++) {
      localKeks.add(localKek(plugin.encrypt("x" + i)));
      if (plugin.wokeReconciler.getAndSet(false)) {
        plugin.reconciler.reconcile();
      }
    }
    long distinct = localKeks.stream().distinct().count();
    assertEquals(MANY / WIDE.softUses(), distinct);
    assertEquals(distinct, remote.wraps.get()); // one for the next, one was made before
    assertEquals(0, remote.unwraps.get());
  }

  @Test
  void remoteThatAnswersOneCallInFive_failsNoEncrypt() {
    KmsPluginFixture plugin = plugin(KeyHierarchy.ON, WIDE);
    remote.resetCounts();
    remote.answerOneIn(5);
    for (int i = 0; i < MANY; i++) {
      EncryptResponse sealed = plugin.encrypt("x" + i);
      assertEquals(plugin.keyId(), sealed.getKeyId());
      if (i % 10 == 0) {
        plugin.advance(Duration.ofSeconds(1));
      }
    }
    assertTrue(remote.wraps.get() >= MANY / WIDE.hardUses(), "no local KEK was replaced");
  }

  @Test
  void tenThousandDecryptsAfterRestart_callTheRemoteOncePerDistinctLocalKek() {
    KmsPluginFixture before = plugin(KeyHierarchy.ON, WIDE);
    List<EncryptResponse> stored = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      stored.add(before.encrypt("v" + i));
      if (before.wokeReconciler.getAndSet(false)) {
        before.reconciler.reconcile();
      }
    }
    long distinct = stored.stream().map(KeyHierarchyTest::localKek).distinct().count();
    KmsPluginFixture after = plugin(KeyHierarchy.ON, WIDE);
    remote.resetCounts();
    for (int i = 0; i < MANY; i++) {
      assertEquals("v" + i, after.decrypt(stored.get(i)));
    }
    assertEquals(distinct, remote.unwraps.get());
    assertEquals(0, remote.wraps.get());
  }

  @Test
  void concurrentMissesOfOneLocalKek_shareOneRemoteCall() {
    EncryptResponse stored = plugin().encrypt("shared");
    KmsPluginFixture after = plugin();
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
    KmsPluginFixture plugin = plugin(KeyHierarchy.OFF, KmsPluginFixture.LIMITS);
    remote.resetCounts();
    List<EncryptResponse> stored = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      stored.add(plugin.encrypt("x" + i));
    }
    assertEquals(20, remote.wraps.get());
    for (int i = 0; i < 20; i++) {
      assertEquals("x" + i, plugin.decrypt(stored.get(i)));
    }
    assertEquals(20, remote.unwraps.get());
    assertTrue(stored.getFirst().getAnnotationsMap().isEmpty());
  }

  @Test
  void hierarchySwitched_readsWhatIsStoredBothWays() {
    EncryptResponse withLocal = plugin(KeyHierarchy.ON, KmsPluginFixture.LIMITS).encrypt("with");
    KmsPluginFixture off = plugin(KeyHierarchy.OFF, KmsPluginFixture.LIMITS);
    EncryptResponse without = off.encrypt("without");
    assertEquals("with", off.decrypt(withLocal));
    KmsPluginFixture on = plugin(KeyHierarchy.ON, KmsPluginFixture.LIMITS);
    assertEquals("without", on.decrypt(without));
    assertEquals("with", on.decrypt(withLocal));
    assertEquals(withLocal.getKeyId(), without.getKeyId());
  }

  @Test
  void hardLimit_withTheRemoteDown_stopsEncryptAndStatusTogether() {
    KmsPluginFixture plugin = plugin();
    EncryptResponse first = plugin.encrypt("first");
    remote.fail();
    for (int i = 1; i < KmsPluginFixture.LIMITS.hardUses(); i++) {
      plugin.encrypt("x");
      if (plugin.wokeReconciler.getAndSet(false)) {
        plugin.reconciler.reconcile();
      }
    }
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, plugin.encryptRefusal().getCode());
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, plugin.statusCall().refusal().getCode());
    assertEquals("first", plugin.decrypt(first));
    remote.recover();
    plugin.advance(Duration.ofMinutes(2));
    assertEquals(first.getKeyId(), plugin.encrypt("again").getKeyId());
  }

  @Test
  void twiceTheAge_withTheRemoteDown_stopsEncryptAndStatusTogether() {
    KmsPluginFixture plugin = plugin();
    remote.fail();
    plugin.advance(KmsPluginFixture.LIMITS.maxAge().multipliedBy(2).minusSeconds(1));
    plugin.encrypt("still");
    plugin.advance(Duration.ofSeconds(1));
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, plugin.encryptRefusal().getCode());
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, plugin.statusCall().refusal().getCode());
  }

  @Test
  void cache_isBounded() {
    LocalKekLimits few = new LocalKekLimits(1, 200, Duration.ofDays(7), 3);
    KmsPluginFixture plugin = plugin(KeyHierarchy.ON, few);
    List<EncryptResponse> stored = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      stored.add(plugin.encrypt("v" + i));
      plugin.reconciler.reconcile();
    }
    assertEquals(3 + 1, plugin.cache.stats().size(), "three, and the key to write with");
    remote.resetCounts();
    assertEquals("v0", plugin.decrypt(stored.getFirst()));
    assertEquals(1, remote.unwraps.get());
    assertEquals(3 + 1, plugin.cache.stats().size());
  }

  @Test
  void logsAndMetrics_areGeneratedAsExpected() {
    KmsPluginFixture plugin = plugin();
    EncryptResponse sealed = plugin.encrypt("hush");
    plugin.decrypt(sealed);
    String hash = new KmsKeyId(sealed.getKeyId()).hash();
    String lines =
        plugin.events.stream().map(ProcessEvent::message).collect(Collectors.joining("\n"));
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
        plugin.metrics.collect().stream().map(it -> it.getMetadata().getName()).sorted().toList());
  }
}
