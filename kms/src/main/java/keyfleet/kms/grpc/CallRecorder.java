package keyfleet.kms.grpc;

import io.grpc.Status;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import keyfleet.kms.CallLog;
import keyfleet.kms.KmsKeyId;
import keyfleet.kms.PluginContext;
import keyfleet.kms.PluginEvent;
import keyfleet.kms.PluginMetrics;
import keyfleet.kms.tracing.NoopTraceSpan;
import keyfleet.kms.tracing.PluginTracer;
import keyfleet.kms.tracing.TraceContextInterceptor;
import keyfleet.kms.tracing.TraceSpan;
import org.jspecify.annotations.Nullable;

/// Counts every call, and says so to those who asked for a line or a span each.
public final class CallRecorder {
  private final PluginMetrics metrics;
  private final LongSupplier nanos;
  private final Consumer<PluginEvent> events;
  private final CallLog callLog;
  private final @Nullable PluginTracer pluginTracer;

  public CallRecorder(PluginMetrics metrics, PluginContext context, CallLog callLog) {
    this.metrics = metrics;
    this.nanos = context.nanos();
    this.events = context.events();
    this.callLog = callLog;
    this.pluginTracer = context.pluginTracer();
  }

  /// A call began, on this thread.
  PendingCall begin(KmsMethod kmsMethod, String uid) {
    TraceSpan span =
        pluginTracer == null
            ? NoopTraceSpan.NONE
            : pluginTracer.startCall(kmsMethod.rpcName(), TraceContextInterceptor.currentHeaders());
    return new PendingCall(kmsMethod, uid, now(), span);
  }

  long now() {
    return nanos.getAsLong();
  }

  /// Of work in memory that began at `began`.
  void recordLocalWork(long began) {
    metrics.recordLocalWork(now() - began);
  }

  void end(
      PendingCall pendingCall, Status.Code code, String keyId, Collection<String> annotations) {
    metrics.recordCall(pendingCall.kmsMethod(), code, now() - pendingCall.beganNanos());
    pendingCall.describe(keyId, annotations);
    pendingCall.span().end(code.value());
    if (callLog == CallLog.ON) {
      String hash = keyId.isEmpty() ? "-" : new KmsKeyId(keyId).hash();
      events.accept(
          new PluginEvent.CallServed(
              new PluginEvent.CallInfo(
                  pendingCall.kmsMethod().rpcName(),
                  pendingCall.uid(),
                  pendingCall.span().traceId()),
              code.name(),
              hash,
              List.copyOf(annotations)));
    }
  }
}
