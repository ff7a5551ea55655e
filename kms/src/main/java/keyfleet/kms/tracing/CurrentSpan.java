package keyfleet.kms.tracing;

import java.util.function.Supplier;
import keyfleet.providers.TraceHeaders;

/// The span of the work that this thread does.
public final class CurrentSpan {
  private static final ScopedValue<TraceSpan> CURRENT = ScopedValue.newInstance();

  private CurrentSpan() {}

  /// Calls `work` in `span`: calls to a remote carry the span's headers.
  public static <T> T callIn(TraceSpan span, Supplier<T> work) {
    return span.traceId().isEmpty()
        ? work.get()
        : ScopedValue.where(CURRENT, span).call(() -> TraceHeaders.callWith(span.headers(), work));
  }

  public static void runIn(TraceSpan span, Runnable work) {
    var _ =
        callIn(
            span,
            () -> {
              work.run();
              return span;
            });
  }

  public static TraceSpan get() {
    return CURRENT.isBound() ? CURRENT.get() : NoopTraceSpan.NONE;
  }
}
