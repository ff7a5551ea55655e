package keyfleet.kms.tracing;

import java.util.function.Supplier;
import keyfleet.providers.TraceHeaders;

/// The span that this thread works in.
public final class CurrentSpan {
  private static final ScopedValue<TraceSpan> CURRENT = ScopedValue.newInstance();

  private CurrentSpan() {}

  /// Remotes that `work` asks are told of the span.
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
