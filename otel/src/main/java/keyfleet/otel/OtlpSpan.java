package keyfleet.otel;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import keyfleet.kms.tracing.TraceSpan;
import org.jspecify.annotations.Nullable;

/// A span in OpenTelemetry.
final class OtlpSpan implements TraceSpan {
  private static final AttributeKey<String> UID = AttributeKey.stringKey("keyfleet.kms.uid");
  private static final AttributeKey<String> KEY_ID_HASH =
      AttributeKey.stringKey("keyfleet.kms.key_id_hash");
  private static final AttributeKey<List<String>> ANNOTATIONS =
      AttributeKey.stringArrayKey("keyfleet.kms.annotations");
  private static final AttributeKey<Long> CODE = AttributeKey.longKey("rpc.grpc.status_code");

  /// The limit of recorded annotations; a call that is refused may have more.
  private static final int MAX_ANNOTATIONS = 16;

  /// The gRPC codes of server errors: UNKNOWN, DEADLINE_EXCEEDED, UNIMPLEMENTED, INTERNAL,
  /// UNAVAILABLE, DATA_LOSS.
  private static final Set<Integer> SERVER_ERROR_CODES = Set.of(2, 4, 12, 13, 14, 15);

  private final Tracer tracer;
  private final Span span;
  private volatile Subject subject = Subject.UNKNOWN;

  OtlpSpan(Tracer tracer, Span span) {
    this.tracer = tracer;
    this.span = span;
  }

  @Override
  public boolean isRecorded() {
    return span.isRecording();
  }

  @Override
  public void describe(Subject newSubject) {
    subject = newSubject;
    if (!newSubject.uid().isEmpty()) {
      span.setAttribute(UID, newSubject.uid());
    }
    if (!newSubject.keyIdHash().isEmpty()) {
      span.setAttribute(KEY_ID_HASH, newSubject.keyIdHash());
    }
    if (!newSubject.annotations().isEmpty()) {
      span.setAttribute(
          ANNOTATIONS, newSubject.annotations().stream().limit(MAX_ANNOTATIONS).toList());
    }
  }

  @Override
  public TraceSpan startChild(Stage stage) {
    Span child =
        tracer
            .spanBuilder(stage.label())
            .setParent(Context.root().with(span))
            .setSpanKind(kind(stage))
            .startSpan();
    OtlpSpan childSpan = new OtlpSpan(tracer, child);
    childSpan.describe(subject);
    return childSpan;
  }

  static SpanKind kind(Stage stage) {
    return switch (stage) {
      case MAKE_LOCAL_KEK -> SpanKind.INTERNAL;
      case REMOTE_WRAP, REMOTE_UNWRAP -> SpanKind.CLIENT;
    };
  }

  @Override
  public String traceId() {
    return span.getSpanContext().isValid() ? span.getSpanContext().getTraceId() : "";
  }

  @Override
  public Map<String, String> headers() {
    Map<String, String> headers = new HashMap<>();
    W3CTraceContextPropagator.getInstance()
        .inject(Context.root().with(span), headers, OtlpSpan::put);
    return headers;
  }

  private static void put(@Nullable Map<String, String> headers, String name, String value) {
    if (headers != null) {
      headers.put(name, value);
    }
  }

  @Override
  public void end(int code) {
    span.setAttribute(CODE, (long) code);
    if (SERVER_ERROR_CODES.contains(code)) {
      span.setStatus(StatusCode.ERROR);
    }
    span.end();
  }
}
