package keyfleet.otel;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// Says once that spans do not arrive, and once that they do again.
final class FailureReportingExporter implements SpanExporter {
  private final SpanExporter to;
  private final String where;
  private final ExportListener log;
  private final AtomicBoolean lost = new AtomicBoolean();

  FailureReportingExporter(SpanExporter to, String where, ExportListener log) {
    this.to = to;
    this.where = where;
    this.log = log;
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    CompletableResultCode result = to.export(spans);
    return result.whenComplete(() -> note(result));
  }

  private void note(CompletableResultCode result) {
    if (lost.getAndSet(!result.isSuccess()) == !result.isSuccess()) {
      return;
    }
    if (result.isSuccess()) {
      log.arrivesAgain("spans reach " + where + " again");
    } else {
      log.lost(
          "spans do not reach %s and are dropped: %s"
              .formatted(where, kind(result.getFailureThrowable())));
    }
  }

  /// A message might quote what was sent. Without a cause it was the collector that refused.
  private static String kind(@Nullable Throwable why) {
    if (why == null || why.getCause() == null) {
      return "it did not take them";
    }
    Throwable cause = why.getCause();
    return cause.getClass().getSimpleName();
  }

  @Override
  public CompletableResultCode flush() {
    return to.flush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return to.shutdown();
  }
}
