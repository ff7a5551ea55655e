package keyfleet.kms;

import io.grpc.Status;
import java.util.Collection;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// Counts every call, and says so to those who asked for a line each.
final class Counter {
  /// A call that began.
  record Ticket(Method method, String uid, long began) {}

  private final PluginMetrics metrics;
  private final LongSupplier nanos;
  private final Consumer<PluginEvent> lines;
  private final CallLog callLog;

  Counter(PluginMetrics metrics, LongSupplier nanos, Consumer<PluginEvent> lines, CallLog callLog) {
    this.metrics = metrics;
    this.nanos = nanos;
    this.lines = lines;
    this.callLog = callLog;
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
    if (callLog == CallLog.ON) {
      String hash = keyId.isEmpty() ? "-" : new KeyId(keyId).hash();
      lines.accept(
          new PluginEvent.Served(
              ticket.method().word(), ticket.uid(), code.name(), hash, annotations));
    }
  }
}
