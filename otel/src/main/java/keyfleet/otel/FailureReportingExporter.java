package keyfleet.otel;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import keyfleet.member.process.ProcessEvent;
import keyfleet.providers.NetworkErrorText;
import org.jspecify.annotations.Nullable;

/// Reports once that spans do not arrive, and once that they arrive again.
final class FailureReportingExporter implements SpanExporter {
  private final SpanExporter delegate;
  private final String collector;
  private final Consumer<ProcessEvent> events;
  private final AtomicBoolean failing = new AtomicBoolean();

  FailureReportingExporter(SpanExporter delegate, String collector, Consumer<ProcessEvent> events) {
    this.delegate = delegate;
    this.collector = collector;
    this.events = events;
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    CompletableResultCode result = delegate.export(spans);
    return result.whenComplete(() -> reportChange(result));
  }

  private void reportChange(CompletableResultCode result) {
    if (failing.getAndSet(!result.isSuccess()) == !result.isSuccess()) {
      return;
    }
    if (result.isSuccess()) {
      events.accept(ProcessEvent.info("spans reach " + collector + " again"));
    } else {
      events.accept(
          ProcessEvent.warning(
              "spans do not reach %s and are dropped: %s"
                  .formatted(collector, reasonOf(result.getFailureThrowable()))));
    }
  }

  /// Without a cause the collector refused the spans.
  private static String reasonOf(@Nullable Throwable failure) {
    if (failure == null || failure.getCause() == null) {
      return "it refused them";
    }
    return NetworkErrorText.of(failure.getCause());
  }

  @Override
  public CompletableResultCode flush() {
    return delegate.flush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return delegate.shutdown();
  }
}
