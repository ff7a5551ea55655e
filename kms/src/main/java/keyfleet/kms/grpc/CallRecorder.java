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
  private final Consumer<PluginEvent> lines;
  private final CallLog callLog;
  private final @Nullable PluginTracer tracing;

  public CallRecorder(PluginMetrics metrics, PluginContext around, CallLog callLog) {
    this.metrics = metrics;
    this.nanos = around.nanos();
    this.lines = around.events();
    this.callLog = callLog;
    this.tracing = around.tracing();
  }

  /// A call began, on this thread.
  PendingCall began(KmsMethod method, String uid) {
    TraceSpan span =
        tracing == null
            ? NoopTraceSpan.NONE
            : tracing.call(method.word(), TraceContextInterceptor.sent());
    return new PendingCall(method, uid, now(), span);
  }

  long now() {
    return nanos.getAsLong();
  }

  /// Of work in memory that began at `began`.
  void local(long began) {
    metrics.local(now() - began);
  }

  void served(PendingCall ticket, Status.Code code, String keyId, Collection<String> annotations) {
    metrics.served(ticket.method(), code, now() - ticket.began());
    ticket.about(keyId, annotations);
    ticket.span().end(code.value());
    if (callLog == CallLog.ON) {
      String hash = keyId.isEmpty() ? "-" : new KmsKeyId(keyId).hash();
      lines.accept(
          new PluginEvent.CallServed(
              new PluginEvent.CallInfo(
                  ticket.method().word(), ticket.uid(), ticket.span().traceId()),
              code.name(),
              hash,
              List.copyOf(annotations)));
    }
  }
}
