package keyfleet.it.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import keyfleet.kms.localkek.KeyHierarchy;
import keyfleet.kms.v2.EncryptResponse;
import keyfleet.member.process.ProcessEvent;
import keyfleet.otel.CollectorAddress;
import keyfleet.otel.FakeCollector;
import keyfleet.otel.OtlpTracing;
import keyfleet.otel.OtlpTracing.Settings;
import keyfleet.otel.OtlpTracing.Source;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Follows one trace from a client through the plugin to a remote, as the collector and the remote
/// see it.
@Timeout(120)
final class TracePropagationTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String CALLER = "b7ad6b7169203331";
  private static final Map<String, String> SAMPLED =
      Map.of("traceparent", "00-" + TRACE + "-" + CALLER + "-01", "tracestate", "vendor=opaque");
  private static final Map<String, String> UNSAMPLED =
      Map.of("traceparent", "00-" + TRACE + "-" + CALLER + "-00");
  private static final String SERVICE = "v2.KeyManagementService/";

  @TempDir Path folder;
  private final FakeCollector collector = FakeCollector.start();

  /// What the exporter reports: lost spans.
  private final List<ProcessEvent> exportEvents = Collections.synchronizedList(new ArrayList<>());

  @AfterEach
  void close() {
    collector.close();
    assertEquals(List.of(), exportEvents);
  }

  private OtlpTracing tracing(double ratio) {
    CollectorAddress address = CollectorAddress.parse(collector.url()).orElseThrow();
    return OtlpTracing.open(
        new Settings(address, ratio, new Source("plugin-1", "kms", "test")), exportEvents::add);
  }

  private List<Span> spans(String name) {
    return collector.spans().stream().filter(it -> it.getName().equals(name)).toList();
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }

  private static AnyValue attribute(Span span, String name) {
    return span.getAttributesList().stream()
        .filter(it -> it.getKey().equals(name))
        .map(KeyValue::getValue)
        .findFirst()
        .orElse(AnyValue.getDefaultInstance());
  }

  private static String hash(String keyId) throws Exception {
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(keyId.getBytes(StandardCharsets.UTF_8));
    return "sha256:" + HexFormat.of().formatHex(digest);
  }

  private static String lastTraceparent(InProcessPlugin plugin, String operation) {
    return plugin.transit.requestsFor(operation).getLast().header("traceparent");
  }

  @Test
  void oneTrace_goesFromTheClientThroughThePluginToTheRemote() throws Exception {
    String keyId;
    String atTransit;
    try (OtlpTracing tracing = tracing(0);
        InProcessPlugin plugin = new InProcessPlugin(folder, KeyHierarchy.OFF, tracing)) {
      var client = plugin.client(SAMPLED);
      EncryptResponse stored = client.encrypt("secret");
      keyId = stored.getKeyId();
      atTransit = lastTraceparent(plugin, "encrypt");
      assertEquals(
          "vendor=opaque", plugin.transit.requestsFor("encrypt").getLast().header("tracestate"));
      assertEquals("secret", client.decrypt(stored));
      assertTrue(lastTraceparent(plugin, "decrypt").startsWith("00-" + TRACE + "-"));
      tracing.flush();
    }
    assertEquals(4, collector.spans().size(), () -> collector.spans().toString());
    Span call = spans(SERVICE + "Encrypt").getFirst();
    Span remote = spans("remote wrap").getFirst();
    assertEquals(TRACE, hex(call.getTraceId()));
    assertEquals(CALLER, hex(call.getParentSpanId()));
    assertEquals(Span.SpanKind.SPAN_KIND_SERVER, call.getKind());
    assertEquals(TRACE, hex(remote.getTraceId()));
    assertEquals(hex(call.getSpanId()), hex(remote.getParentSpanId()));
    assertEquals("00-" + TRACE + "-" + hex(remote.getSpanId()) + "-01", atTransit);
    for (Span span : List.of(call, remote)) {
      assertEquals(
          "it-encrypt", attribute(span, "keyfleet.kms.uid").getStringValue(), span.getName());
      assertEquals(
          hash(keyId),
          attribute(span, "keyfleet.kms.key_id_hash").getStringValue(),
          span.getName());
      assertTrue(attribute(span, "rpc.grpc.status_code").hasIntValue(), span.getName());
      assertEquals(0, attribute(span, "rpc.grpc.status_code").getIntValue(), span.getName());
    }
  }

  @Test
  void unsampledCaller_staysUnsampled_andSoDoesTheRemote() throws IOException {
    try (OtlpTracing tracing = tracing(1);
        InProcessPlugin plugin = new InProcessPlugin(folder, KeyHierarchy.OFF, tracing)) {
      plugin.client(UNSAMPLED).encrypt("secret");
      String atTransit = lastTraceparent(plugin, "encrypt");
      assertTrue(atTransit.matches("00-" + TRACE + "-[0-9a-f]{16}-00"), atTransit);
      plugin.client(Map.of()).encrypt("other");
      assertFalse(lastTraceparent(plugin, "encrypt").contains(TRACE));
      tracing.flush();
    }
    Span span = spans(SERVICE + "Encrypt").getFirst();
    assertEquals(
        1,
        spans(SERVICE + "Encrypt").size(),
        "only the call without a caller's decision is sampled");
    assertTrue(span.getParentSpanId().isEmpty(), span::toString);
    assertFalse(hex(span.getTraceId()).equals(TRACE), span::toString);
  }

  @Test
  void zeroRatio_startsNoTrace() throws IOException {
    try (OtlpTracing tracing = tracing(0);
        InProcessPlugin plugin = new InProcessPlugin(folder, KeyHierarchy.ON, tracing)) {
      var client = plugin.client(Map.of());
      assertEquals("x", client.decrypt(client.encrypt("x")));
      tracing.flush();
    }
    assertEquals(List.of(), collector.spans());
  }

  @Test
  void invalidHeader_startsANewTrace() throws IOException {
    try (OtlpTracing tracing = tracing(1);
        InProcessPlugin plugin = new InProcessPlugin(folder, KeyHierarchy.ON, tracing)) {
      plugin.client(Map.of("traceparent", "00-zz-1-01")).encrypt("x");
      tracing.flush();
    }
    assertTrue(spans(SERVICE + "Encrypt").getFirst().getParentSpanId().isEmpty());
  }

  @Test
  void sentSpans_nameAnnotations_andContainNoSecretAndNoValue() throws IOException {
    EncryptResponse stored;
    String traced;
    try (OtlpTracing tracing = tracing(1);
        InProcessPlugin plugin = new InProcessPlugin(folder, KeyHierarchy.ON, tracing)) {
      var client = plugin.client(SAMPLED);
      stored = client.encrypt("hush-marker");
      assertEquals("hush-marker", client.decrypt(stored));
      traced = String.join("\n", plugin.lines);
      tracing.flush();
    }
    assertTrue(traced.contains(" trace_id=" + TRACE), traced);
    String sent = new String(collector.bytes(), StandardCharsets.ISO_8859_1);
    String annotation = stored.getAnnotationsMap().keySet().iterator().next();
    assertTrue(sent.contains(annotation), "annotation names are sent");
    assertTrue(sent.contains("make local KEK"), "the sent bytes contain the span");
    ByteString value = stored.getAnnotationsMap().get(annotation);
    String annotated = value == null ? "" : value.toString(StandardCharsets.ISO_8859_1);
    String wrapped = annotated.substring(annotated.indexOf("vault:v1:"));
    String key = wrapped.substring("vault:v1:".length());
    byte[] raw = Base64.getDecoder().decode(key);
    for (String secret :
        List.of(
            "hush-marker",
            wrapped,
            key,
            new String(raw, StandardCharsets.ISO_8859_1),
            HexFormat.of().formatHex(raw),
            stored.getCiphertext().toString(StandardCharsets.ISO_8859_1),
            stored.getKeyId(),
            FakeTransit.TOKEN)) {
      assertFalse(sent.contains(secret), "a secret or a value was sent");
    }
    assertEquals(
        StatusCode.STATUS_CODE_UNSET, spans("make local KEK").getFirst().getStatus().getCode());
  }
}
