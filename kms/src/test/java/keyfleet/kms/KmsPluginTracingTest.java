package keyfleet.kms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import java.nio.file.Path;
import java.util.List;
import keyfleet.kms.RecordingTracer.RecordedSpan;
import keyfleet.kms.localkek.KeyHierarchy;
import keyfleet.kms.tracing.TraceSpan.Subject;
import keyfleet.kms.v2.EncryptResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The spans of a call, and the trace headers that the remote receives.
final class KmsPluginTracingTest {
  private static final String ANNOTATION = "local-kek.kms.keyfleet.dev";

  @TempDir Path folder;
  private final FakeRemoteProvider remote = new FakeRemoteProvider(1);
  private final TestKeyring keyring = new TestKeyring(remote);

  private KmsPluginFixture plugin(KeyHierarchy hierarchy) {
    return new KmsPluginFixture(
            folder.resolve(hierarchy + ".json"), remote, hierarchy, KmsPluginFixture.LIMITS)
        .receiveKeystore(keyring.keystore());
  }

  /// A plugin that has not unwrapped the local KEKs of [#plugin].
  private KmsPluginFixture anotherPlugin() {
    return new KmsPluginFixture(folder.resolve("other.json"), remote)
        .receiveKeystore(keyring.keystore());
  }

  private static void check(RecordedSpan span, String name, String parent, Status.Code code) {
    assertEquals(name + " < " + parent, span.name + " < " + span.parent);
    assertEquals(code.value(), span.code(), span::toString);
  }

  private static Subject subject(KmsPluginFixture plugin, List<String> annotations) {
    return new Subject(KmsPluginFixture.UID, new KmsKeyId(plugin.keyId()).hash(), annotations);
  }

  @Test
  void newLocalKek_hasItsOwnTrace_whichTheRemoteReceives() {
    KmsPluginFixture plugin = plugin(KeyHierarchy.ON);
    List<RecordedSpan> spans = List.copyOf(plugin.tracer.spans);
    assertEquals(2, spans.size(), spans::toString);
    check(spans.get(0), "make local KEK", "", Status.Code.OK);
    check(spans.get(1), "remote wrap", "make local KEK", Status.Code.OK);
    String hash = new KmsKeyId(plugin.keyId()).hash();
    assertEquals(new Subject("", hash, List.of(ANNOTATION)), spans.get(1).subject);
    assertEquals("remote wrap", remote.trace);
  }

  @Test
  void encryptUnderALocalKek_isOneSpan() {
    KmsPluginFixture plugin = plugin(KeyHierarchy.ON);
    plugin.tracer.spans.clear();
    plugin.encrypt("secret");
    assertEquals(1, plugin.tracer.spans.size(), plugin.tracer.spans::toString);
    RecordedSpan span = plugin.tracer.spans.getFirst();
    check(span, "Encrypt", "", Status.Code.OK);
    assertEquals(subject(plugin, List.of(ANNOTATION)), span.subject);
  }

  @Test
  void cacheMissOfDecrypt_hasAChildSpanWithTheSameSubject() {
    EncryptResponse stored = plugin(KeyHierarchy.ON).encrypt("secret");
    KmsPluginFixture plugin = anotherPlugin();
    plugin.tracer.spans.clear();
    assertEquals("secret", plugin.decrypt(stored));
    RecordedSpan child = plugin.tracer.spans.get(1);
    check(child, "remote unwrap", "Decrypt", Status.Code.OK);
    assertEquals("remote unwrap", remote.trace);
    assertEquals(subject(plugin, List.of(ANNOTATION)), child.subject);
    plugin.tracer.spans.clear();
    assertEquals("secret", plugin.decrypt(stored));
    assertEquals(List.of("Decrypt"), plugin.tracer.spans.stream().map(it -> it.name).toList());
  }

  @Test
  void withoutHierarchy_everyCallHasAChildSpan() {
    KmsPluginFixture plugin = plugin(KeyHierarchy.OFF);
    plugin.tracer.spans.clear();
    EncryptResponse stored = plugin.encrypt("secret");
    assertEquals("remote wrap", remote.trace);
    check(plugin.tracer.spans.get(1), "remote wrap", "Encrypt", Status.Code.OK);
    assertEquals(subject(plugin, List.of()), plugin.tracer.spans.get(1).subject);
    plugin.tracer.spans.clear();
    assertEquals("secret", plugin.decrypt(stored));
    check(plugin.tracer.spans.get(1), "remote unwrap", "Decrypt", Status.Code.OK);
    assertEquals("remote unwrap", remote.trace);
  }

  @Test
  void failedRemote_isTheOutcomeOfBothSpans() {
    EncryptResponse stored = plugin(KeyHierarchy.ON).encrypt("secret");
    KmsPluginFixture plugin = anotherPlugin();
    plugin.tracer.spans.clear();
    remote.fail();
    plugin.decryptRefusal(KmsPluginFixture.decryptRequestFor(stored));
    check(plugin.tracer.spans.get(1), "remote unwrap", "Decrypt", Status.Code.UNAVAILABLE);
    check(plugin.tracer.spans.get(0), "Decrypt", "", Status.Code.UNAVAILABLE);
  }

  @Test
  void status_isASpanWithoutAUid() {
    KmsPluginFixture plugin = plugin(KeyHierarchy.ON);
    plugin.tracer.spans.clear();
    String hash = new KmsKeyId(plugin.keyId()).hash();
    RecordedSpan span = plugin.tracer.spans.getFirst();
    check(span, "Status", "", Status.Code.OK);
    assertEquals(new Subject("", hash, List.of()), span.subject);
  }

  @Test
  void refusedCall_endsWithItsCode() {
    KmsPluginFixture plugin = plugin(KeyHierarchy.ON);
    plugin.tracer.spans.clear();
    plugin.encryptCall(ByteString.EMPTY, KmsPluginFixture.UID).refusal();
    check(plugin.tracer.spans.getFirst(), "Encrypt", "", Status.Code.INVALID_ARGUMENT);
  }

  @Test
  void logLineOfACall_namesItsTrace() {
    KmsPluginFixture plugin = plugin(KeyHierarchy.ON);
    plugin.events.clear();
    plugin.encrypt("secret");
    String line = plugin.events.getFirst().message();
    assertTrue(line.startsWith("Encrypt uid=" + KmsPluginFixture.UID), line);
    assertTrue(
        line.endsWith("annotations=[" + ANNOTATION + "] trace_id=" + RecordingTracer.TRACE), line);
  }
}
