package keyfleet.kms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import keyfleet.kms.localkek.KeyHierarchy;
import keyfleet.kms.localkek.LocalKekLimits;
import keyfleet.kms.v2.DecryptResponse;
import keyfleet.kms.v2.EncryptResponse;
import keyfleet.member.process.ProcessEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Two plugins of one control plane, each behind an API server of its own: what one writes the
/// other reads, and neither is ever the reason that an API server stops.
final class PluginOutageTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @TempDir Path folder;
  private final FakeRemoteProvider remote = new FakeRemoteProvider(1, 2);
  private final TestKeyring keyring = new TestKeyring(remote);

  private KmsPluginFixture plugin(String name, KeyHierarchy hierarchy, int cacheSize) {
    LocalKekLimits limits = new LocalKekLimits(1_000, 2_000, Duration.ofDays(7), cacheSize);
    return new KmsPluginFixture(folder.resolve(name + ".json"), remote, hierarchy, limits)
        .receiveKeystore(keyring.keystore());
  }

  private KmsPluginFixture plugin(String name) {
    return plugin(name, KeyHierarchy.ON, 10);
  }

  /// Makes v2 active in the store.
  private void flip() {
    keyring.announce(2);
    keyring.stage(2);
    keyring.flip();
  }

  @Test
  void cacheOfOne_evictsEverythingButTheWriteKey() {
    KmsPluginFixture plugin = plugin("own", KeyHierarchy.ON, 1);
    EncryptResponse first = plugin.encrypt("first");
    List<EncryptResponse> ofPeers =
        IntStream.range(0, 5).mapToObj(i -> plugin("peer" + i).encrypt("of peer " + i)).toList();
    for (EncryptResponse value : ofPeers) {
      plugin.decrypt(value);
      plugin.advance(MINUTE);
    }
    EncryptResponse last = plugin.encrypt("last");
    assertEquals(first.getAnnotationsMap(), last.getAnnotationsMap());
    remote.fail();
    assertEquals("first", plugin.decrypt(first));
    assertEquals("last", plugin.decrypt(last));
  }

  @Test
  void writeKeyThatWasReplaced_isCachedAndThenEvictedLikeOthers() {
    KmsPluginFixture plugin = plugin("own", KeyHierarchy.ON, 1);
    EncryptResponse before = plugin.encrypt("before");
    flip();
    plugin.receiveKeystore(keyring.keystore());
    remote.resetCounts();
    assertEquals("before", plugin.decrypt(before));
    assertEquals(0, remote.unwraps.get());
    plugin.decrypt(plugin("peer").encrypt("of a peer"));
    remote.resetCounts();
    assertEquals("before", plugin.decrypt(before));
    assertEquals(1, remote.unwraps.get());
  }

  @Test
  void writeKeyThatNoLongerWorks_isReplacedAndMeanwhileNotHealthy() {
    KmsPluginFixture plugin = plugin("own");
    EncryptResponse before = plugin.encrypt("before");
    plugin.writeKek().close();
    assertEquals(Status.Code.INTERNAL, plugin.encryptRefusal().getCode());
    assertEquals(Status.Code.INTERNAL, plugin.encryptRefusal().getCode());
    assertEquals(
        List.of("a call of Encrypt failed unexpectedly, which is a bug: IllegalStateException"),
        plugin.events.stream()
            .map(ProcessEvent::message)
            .filter(it -> it.contains("which is a bug"))
            .map(it -> it.substring(0, it.indexOf(" at ")))
            .toList(),
        "a failure is logged once");
    assertTrue(
        plugin.metrics.collect().stream()
            .flatMap(it -> it.getDataPoints().stream())
            .anyMatch(it -> it.getLabels().toString().contains("INTERNAL")),
        "no metric counts it");
    assertFalse(plugin.writeKek().passesSelfCheck());
    plugin.advance(MINUTE);
    EncryptResponse after = plugin.encrypt("after");
    assertEquals(before.getKeyId(), after.getKeyId());
    assertNotEquals(before.getAnnotationsMap(), after.getAnnotationsMap());
    assertEquals("before", plugin.decrypt(before));
  }

  @Test
  void unwrapThatThrowsUnexpectedly_answersEveryWaitingCall() {
    EncryptResponse stored = plugin("peer").encrypt("shared");
    KmsPluginFixture plugin = plugin("own");
    CountDownLatch opened = remote.holdCalls();
    List<RecordingStreamObserver<DecryptResponse>> calls = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      calls.add(plugin.decryptCall(KmsPluginFixture.decryptRequestFor(stored).build()));
    }
    remote.throwUnexpectedly(new IllegalArgumentException("a bug of the test's provider"));
    opened.countDown();
    for (RecordingStreamObserver<DecryptResponse> call : calls) {
      Status.Code code = call.refusal().getCode();
      assertTrue(code == Status.Code.INTERNAL || code == Status.Code.UNAVAILABLE, code::toString);
    }
    remote.throwUnexpectedly(null);
    assertEquals("shared", plugin.decrypt(stored));
  }

  @Test
  void callerThatFails_doesNotKeepOthersFromTheirAnswer() {
    EncryptResponse stored = plugin("peer").encrypt("shared");
    KmsPluginFixture plugin = plugin("own");
    CountDownLatch opened = remote.holdCalls();
    RecordingStreamObserver<DecryptResponse> broken = new RecordingStreamObserver<>();
    broken.onError(new IllegalStateException("the connection of the test is gone"));
    plugin.decryptCall(KmsPluginFixture.decryptRequestFor(stored).build(), broken);
    var other = plugin.decryptCall(KmsPluginFixture.decryptRequestFor(stored).build());
    opened.countDown();
    assertEquals("shared", other.answer().getPlaintext().toStringUtf8());
  }

  /// The plugin is cut off from the store while its peers flip.
  @ParameterizedTest
  @EnumSource
  void pluginThatMissedTheFlip_readsWhatItsPeersWrite(KeyHierarchy hierarchy) {
    KmsPluginFixture cutOff = plugin("cut-off", hierarchy, 10);
    KmsPluginFixture peer = plugin("peer", hierarchy, 10);
    flip();
    peer.receiveKeystore(keyring.keystore());
    EncryptResponse fresh = peer.encrypt("under v2");
    assertNotEquals(cutOff.keyId(), fresh.getKeyId());
    assertEquals("under v2", cutOff.decrypt(fresh));
    assertEquals("under v1", peer.decrypt(cutOff.encrypt("under v1")));
  }

  @Test
  void pluginThatNeverReadItsStore_readsWhatItsPeersWrite() {
    EncryptResponse stored = plugin("peer").encrypt("kept");
    KmsPluginFixture fresh = new KmsPluginFixture(folder.resolve("new.json"), remote).leaveFleet();
    assertEquals(Status.Code.UNAVAILABLE, fresh.statusCall().refusal().getCode());
    assertEquals("kept", fresh.decrypt(stored));
  }

  @Test
  void unknownKeyIdOfVersionThatIsNotLoaded_isUnavailableWithoutTheRemote() {
    KmsPluginFixture cutOff = plugin("cut-off");
    KmsPluginFixture peer = plugin("peer");
    flip();
    peer.receiveKeystore(keyring.keystore());
    EncryptResponse fresh = peer.encrypt("under v2");
    remote.hide(2);
    cutOff.leaveFleet();
    remote.resetCounts();
    Status refusal = cutOff.decryptRefusal(KmsPluginFixture.decryptRequestFor(fresh));
    assertEquals(Status.Code.UNAVAILABLE, refusal.getCode());
    assertEquals(
        "v2, which sealed this value, is not loaded in this plugin", refusal.getDescription());
    assertEquals(0, remote.calls());
  }

  @ParameterizedTest
  @EnumSource
  void forgedKeyIds_failAuthenticationAndAreLimitedInRate(KeyHierarchy hierarchy) {
    KmsPluginFixture plugin = plugin("own", hierarchy, 10);
    EncryptResponse stored = plugin.encrypt("secret");
    remote.resetCounts();
    int refused = 0;
    int limited = 0;
    for (int i = 0; i < 500; i++) {
      Status status =
          plugin.decryptRefusal(KmsPluginFixture.decryptRequestFor(stored).setKeyId("forged-" + i));
      refused += status.getCode() == Status.Code.INVALID_ARGUMENT ? 1 : 0;
      limited += status.getCode() == Status.Code.RESOURCE_EXHAUSTED ? 1 : 0;
    }
    assertEquals(500, refused + limited, "each forged key_id is refused");
    assertEquals(refused, remote.unwraps.get());
    assertTrue(limited > 300, () -> "the remote was asked too often");
    assertEquals("secret", plugin.decrypt(stored), "known key_ids are not limited");
  }
}
