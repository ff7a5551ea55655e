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

/// What is told of a call, and to which remote its trace goes on.
final class KmsPluginTracingTest {
  private static final String ANNOTATION = "local-kek.kms.keyfleet.dev";

  @TempDir Path folder;
  private final FakeRemoteProvider remote = new FakeRemoteProvider(1);
  private final TestKeyring ring = new TestKeyring(remote);

  private KmsPluginFixture stand(KeyHierarchy keyHierarchy) {
    return new KmsPluginFixture(
            folder.resolve(keyHierarchy + ".json"), remote, keyHierarchy, KmsPluginFixture.LIMITS)
        .receiveKeystore(ring.keystore());
  }

  /// A plugin that has not seen the local KEKs of `stand`'s.
  private KmsPluginFixture another() {
    return new KmsPluginFixture(folder.resolve("other.json"), remote)
        .receiveKeystore(ring.keystore());
  }

  private static void check(RecordedSpan span, String name, String parent, Status.Code code) {
    assertEquals(name + " < " + parent, span.name + " < " + span.parent);
    assertEquals(code.value(), span.code(), span::toString);
  }

  private static Subject subject(KmsPluginFixture kmsPluginFixture, List<String> annotations) {
    return new Subject(
        KmsPluginFixture.UID, new KmsKeyId(kmsPluginFixture.keyId()).hash(), annotations);
  }

  @Test
  void localKekMade_isATraceOfItsOwn_whichTheRemoteIsTold() {
    KmsPluginFixture kmsPluginFixture = stand(KeyHierarchy.ON);
    List<RecordedSpan> spans = List.copyOf(kmsPluginFixture.tracing.spans);
    assertEquals(2, spans.size(), spans::toString);
    check(spans.get(0), "make local KEK", "", Status.Code.OK);
    check(spans.get(1), "remote wrap", "make local KEK", Status.Code.OK);
    String hash = new KmsKeyId(kmsPluginFixture.keyId()).hash();
    assertEquals(new Subject("", hash, List.of(ANNOTATION)), spans.get(1).subject);
    assertEquals("remote wrap", remote.trace);
  }

  @Test
  void encryptUnderALocalKek_isOneSpan() {
    KmsPluginFixture kmsPluginFixture = stand(KeyHierarchy.ON);
    kmsPluginFixture.tracing.spans.clear();
    kmsPluginFixture.encrypt("secret");
    assertEquals(
        1, kmsPluginFixture.tracing.spans.size(), kmsPluginFixture.tracing.spans::toString);
    RecordedSpan span = kmsPluginFixture.tracing.spans.getFirst();
    check(span, "Encrypt", "", Status.Code.OK);
    assertEquals(subject(kmsPluginFixture, List.of(ANNOTATION)), span.subject);
  }

  @Test
  void decryptThatMisses_hasTheRemoteAsItsChild_aboutTheSame() {
    EncryptResponse stored = stand(KeyHierarchy.ON).encrypt("secret");
    KmsPluginFixture kmsPluginFixture = another();
    kmsPluginFixture.tracing.spans.clear();
    assertEquals("secret", kmsPluginFixture.decrypt(stored));
    RecordedSpan child = kmsPluginFixture.tracing.spans.get(1);
    check(child, "remote unwrap", "Decrypt", Status.Code.OK);
    assertEquals("remote unwrap", remote.trace);
    assertEquals(subject(kmsPluginFixture, List.of(ANNOTATION)), child.subject);
    kmsPluginFixture.tracing.spans.clear();
    assertEquals("secret", kmsPluginFixture.decrypt(stored));
    assertEquals(
        List.of("Decrypt"), kmsPluginFixture.tracing.spans.stream().map(it -> it.name).toList());
  }

  @Test
  void remoteForEachCall_isAChildOfEach() {
    KmsPluginFixture kmsPluginFixture = stand(KeyHierarchy.OFF);
    kmsPluginFixture.tracing.spans.clear();
    EncryptResponse stored = kmsPluginFixture.encrypt("secret");
    assertEquals("remote wrap", remote.trace);
    check(kmsPluginFixture.tracing.spans.get(1), "remote wrap", "Encrypt", Status.Code.OK);
    assertEquals(
        subject(kmsPluginFixture, List.of()), kmsPluginFixture.tracing.spans.get(1).subject);
    kmsPluginFixture.tracing.spans.clear();
    assertEquals("secret", kmsPluginFixture.decrypt(stored));
    check(kmsPluginFixture.tracing.spans.get(1), "remote unwrap", "Decrypt", Status.Code.OK);
    assertEquals("remote unwrap", remote.trace);
  }

  @Test
  void remoteThatIsDown_isTheOutcomeOfBothSpans() {
    EncryptResponse stored = stand(KeyHierarchy.ON).encrypt("secret");
    KmsPluginFixture kmsPluginFixture = another();
    kmsPluginFixture.tracing.spans.clear();
    remote.fail();
    kmsPluginFixture.decryptRefusal(KmsPluginFixture.decryptRequestFor(stored));
    check(
        kmsPluginFixture.tracing.spans.get(1), "remote unwrap", "Decrypt", Status.Code.UNAVAILABLE);
    check(kmsPluginFixture.tracing.spans.get(0), "Decrypt", "", Status.Code.UNAVAILABLE);
  }

  @Test
  void status_isASpanWithoutAUid() {
    KmsPluginFixture kmsPluginFixture = stand(KeyHierarchy.ON);
    kmsPluginFixture.tracing.spans.clear();
    String hash = new KmsKeyId(kmsPluginFixture.keyId()).hash();
    RecordedSpan span = kmsPluginFixture.tracing.spans.getFirst();
    check(span, "Status", "", Status.Code.OK);
    assertEquals(new Subject("", hash, List.of()), span.subject);
  }

  @Test
  void refusedCall_endsWithItsCode() {
    KmsPluginFixture kmsPluginFixture = stand(KeyHierarchy.ON);
    kmsPluginFixture.tracing.spans.clear();
    kmsPluginFixture.encryptCall(ByteString.EMPTY, KmsPluginFixture.UID).refusal();
    check(kmsPluginFixture.tracing.spans.getFirst(), "Encrypt", "", Status.Code.INVALID_ARGUMENT);
  }

  @Test
  void lineOfACall_namesItsTrace() {
    KmsPluginFixture kmsPluginFixture = stand(KeyHierarchy.ON);
    kmsPluginFixture.events.clear();
    kmsPluginFixture.encrypt("secret");
    String line = kmsPluginFixture.events.getFirst().message();
    assertTrue(line.startsWith("Encrypt uid=" + KmsPluginFixture.UID), line);
    assertTrue(
        line.endsWith("annotations=[" + ANNOTATION + "] trace_id=" + RecordingTracer.TRACE), line);
  }
}
