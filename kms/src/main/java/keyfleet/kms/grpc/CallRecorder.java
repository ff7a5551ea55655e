package keyfleet.kms.grpc;

import io.grpc.Status;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import keyfleet.kms.CallLog;
import keyfleet.kms.KmsKeyId;
import keyfleet.kms.PluginContext;
import keyfleet.kms.PluginMetrics;
import keyfleet.kms.tracing.NoopTraceSpan;
import keyfleet.kms.tracing.PluginTracer;
import keyfleet.kms.tracing.TraceContextInterceptor;
import keyfleet.kms.tracing.TraceSpan;
import keyfleet.member.process.ProcessEvent;

/// Records every call: counts it, and logs and traces it if the operator asked for that.
public final class CallRecorder {
  private static final int MAX_REPORTED = 100;

  private final PluginMetrics metrics;
  private final PluginContext context;
  private final CallLog log;

  /// The unexpected failures that the log already has.
  private final Set<String> reported = ConcurrentHashMap.newKeySet();

  public CallRecorder(PluginMetrics metrics, PluginContext context, CallLog log) {
    this.metrics = metrics;
    this.context = context;
    this.log = log;
  }

  /// Begins a call on this thread.
  PendingCall begin(KmsMethod method, String uid) {
    PluginTracer tracer = context.tracer();
    TraceSpan span =
        tracer == null
            ? NoopTraceSpan.NONE
            : tracer.startCall(method.rpcName(), TraceContextInterceptor.currentHeaders());
    return new PendingCall(method, uid, now(), span);
  }

  long now() {
    return context.nanos().getAsLong();
  }

  /// Records work in memory that began at `startNanos`.
  void recordLocalWork(long startNanos) {
    metrics.recordLocalWork(now() - startNanos);
  }

  /// Logs an unexpected failure, which is a bug, once for each place that it comes from.
  void reportUnexpected(PendingCall call, Throwable failure) {
    ProcessEvent event =
        ProcessEvent.unexpectedFailure("a call of " + call.method().rpcName(), failure);
    if (reported.size() < MAX_REPORTED && reported.add(event.message())) {
      context.events().accept(event);
    }
  }

  void end(PendingCall call, Status.Code code, String keyId, Collection<String> annotations) {
    metrics.recordCall(call.method(), code, now() - call.startNanos());
    call.describe(keyId, annotations);
    call.span().end(code.value());
    if (log == CallLog.ON) {
      String hash = keyId.isEmpty() ? "-" : new KmsKeyId(keyId).hash();
      String traceId = call.span().traceId();
      context
          .events()
          .accept(
              ProcessEvent.info(
                  "%s uid=%s code=%s key_id_hash=%s annotations=%s%s"
                      .formatted(
                          call.method().rpcName(),
                          call.uid(),
                          code,
                          hash,
                          List.copyOf(annotations),
                          traceId.isEmpty() ? "" : " trace_id=" + traceId)));
    }
  }
}
