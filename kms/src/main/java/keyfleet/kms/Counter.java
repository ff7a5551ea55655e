package keyfleet.kms;

import io.grpc.Status;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Counts every call, and says so to those who asked for a line or a span each.
final class Counter {
  private final PluginMetrics metrics;
  private final LongSupplier nanos;
  private final Consumer<PluginEvent> lines;
  private final CallLog callLog;
  private final @Nullable Tracing tracing;

  Counter(PluginMetrics metrics, Surroundings around, CallLog callLog) {
    this.metrics = metrics;
    this.nanos = around.nanos();
    this.lines = around.events();
    this.callLog = callLog;
    this.tracing = around.tracing();
  }

  /// A call began, on this thread.
  Ticket began(Method method, String uid) {
    TraceSpan span =
        tracing == null ? NoSpan.NONE : tracing.call(method.word(), CallerTrace.sent());
    return new Ticket(method, uid, now(), span);
  }

  long now() {
    return nanos.getAsLong();
  }

  /// Of work in memory that began at `began`.
  void local(long began) {
    metrics.local(now() - began);
  }

  void served(Ticket ticket, Status.Code code, String keyId, Collection<String> annotations) {
    metrics.served(ticket.method(), code, now() - ticket.began());
    ticket.about(keyId, annotations);
    ticket.span().end(code.value());
    if (callLog == CallLog.ON) {
      String hash = keyId.isEmpty() ? "-" : new KeyId(keyId).hash();
      lines.accept(
          new PluginEvent.Served(
              new PluginEvent.Call(ticket.method().word(), ticket.uid(), ticket.span().traceId()),
              code.name(),
              hash,
              List.copyOf(annotations)));
    }
  }
}
