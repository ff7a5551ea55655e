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

  private KmsPluginFixture stand(KeyHierarchy hierarchy) {
    return new KmsPluginFixture(
            folder.resolve(hierarchy + ".json"), remote, hierarchy, KmsPluginFixture.LIMITS)
        .says(ring.keystore());
  }

  /// A plugin that has not seen the local KEKs of `stand`'s.
  private KmsPluginFixture another() {
    return new KmsPluginFixture(folder.resolve("other.json"), remote).says(ring.keystore());
  }

  private static void check(RecordedSpan span, String name, String parent, Status.Code code) {
    assertEquals(name + " < " + parent, span.name + " < " + span.parent);
    assertEquals(code.value(), span.code(), span::toString);
  }

  private static Subject subject(KmsPluginFixture stand, List<String> annotations) {
    return new Subject(KmsPluginFixture.UID, new KmsKeyId(stand.keyId()).hash(), annotations);
  }

  @Test
  void localKekMade_isATraceOfItsOwn_whichTheRemoteIsTold() {
    KmsPluginFixture stand = stand(KeyHierarchy.ON);
    List<RecordedSpan> spans = List.copyOf(stand.tracing.spans);
    assertEquals(2, spans.size(), spans::toString);
    check(spans.get(0), "make local KEK", "", Status.Code.OK);
    check(spans.get(1), "remote wrap", "make local KEK", Status.Code.OK);
    String hash = new KmsKeyId(stand.keyId()).hash();
    assertEquals(new Subject("", hash, List.of(ANNOTATION)), spans.get(1).subject);
    assertEquals("remote wrap", remote.trace);
  }

  @Test
  void encryptUnderALocalKek_isOneSpan() {
    KmsPluginFixture stand = stand(KeyHierarchy.ON);
    stand.tracing.spans.clear();
    stand.encrypt("secret");
    assertEquals(1, stand.tracing.spans.size(), stand.tracing.spans::toString);
    RecordedSpan span = stand.tracing.spans.getFirst();
    check(span, "Encrypt", "", Status.Code.OK);
    assertEquals(subject(stand, List.of(ANNOTATION)), span.subject);
  }

  @Test
  void decryptThatMisses_hasTheRemoteAsItsChild_aboutTheSame() {
    EncryptResponse stored = stand(KeyHierarchy.ON).encrypt("secret");
    KmsPluginFixture stand = another();
    stand.tracing.spans.clear();
    assertEquals("secret", stand.decrypt(stored));
    RecordedSpan child = stand.tracing.spans.get(1);
    check(child, "remote unwrap", "Decrypt", Status.Code.OK);
    assertEquals("remote unwrap", remote.trace);
    assertEquals(subject(stand, List.of(ANNOTATION)), child.subject);
    stand.tracing.spans.clear();
    assertEquals("secret", stand.decrypt(stored));
    assertEquals(List.of("Decrypt"), stand.tracing.spans.stream().map(it -> it.name).toList());
  }

  @Test
  void remoteForEachCall_isAChildOfEach() {
    KmsPluginFixture stand = stand(KeyHierarchy.OFF);
    stand.tracing.spans.clear();
    EncryptResponse stored = stand.encrypt("secret");
    assertEquals("remote wrap", remote.trace);
    check(stand.tracing.spans.get(1), "remote wrap", "Encrypt", Status.Code.OK);
    assertEquals(subject(stand, List.of()), stand.tracing.spans.get(1).subject);
    stand.tracing.spans.clear();
    assertEquals("secret", stand.decrypt(stored));
    check(stand.tracing.spans.get(1), "remote unwrap", "Decrypt", Status.Code.OK);
    assertEquals("remote unwrap", remote.trace);
  }

  @Test
  void remoteThatIsDown_isTheOutcomeOfBothSpans() {
    EncryptResponse stored = stand(KeyHierarchy.ON).encrypt("secret");
    KmsPluginFixture stand = another();
    stand.tracing.spans.clear();
    remote.down();
    stand.decryptRefusal(KmsPluginFixture.stored(stored));
    check(stand.tracing.spans.get(1), "remote unwrap", "Decrypt", Status.Code.UNAVAILABLE);
    check(stand.tracing.spans.get(0), "Decrypt", "", Status.Code.UNAVAILABLE);
  }

  @Test
  void status_isASpanWithoutAUid() {
    KmsPluginFixture stand = stand(KeyHierarchy.ON);
    stand.tracing.spans.clear();
    String hash = new KmsKeyId(stand.keyId()).hash();
    RecordedSpan span = stand.tracing.spans.getFirst();
    check(span, "Status", "", Status.Code.OK);
    assertEquals(new Subject("", hash, List.of()), span.subject);
  }

  @Test
  void refusedCall_endsWithItsCode() {
    KmsPluginFixture stand = stand(KeyHierarchy.ON);
    stand.tracing.spans.clear();
    stand.encryptCall(ByteString.EMPTY, KmsPluginFixture.UID).refusal();
    check(stand.tracing.spans.getFirst(), "Encrypt", "", Status.Code.INVALID_ARGUMENT);
  }

  @Test
  void lineOfACall_namesItsTrace() {
    KmsPluginFixture stand = stand(KeyHierarchy.ON);
    stand.events.clear();
    stand.encrypt("secret");
    String line = stand.events.getFirst().words();
    assertTrue(line.startsWith("Encrypt uid=" + KmsPluginFixture.UID), line);
    assertTrue(
        line.endsWith("annotations=[" + ANNOTATION + "] trace_id=" + RecordingTracer.TRACE), line);
  }
}
