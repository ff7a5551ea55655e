package keyfleet.providers;

import java.util.Map;
import java.util.function.Supplier;

/// The trace that this thread's work belongs to, as headers for a remote that continues it. They
/// hold numbers of the trace, and nothing of what is worked on.
public final class TraceHeaders {
  private static final ScopedValue<Map<String, String>> CURRENT = ScopedValue.newInstance();

  private TraceHeaders() {}

  public static <T> T callWith(Map<String, String> headers, Supplier<T> work) {
    return ScopedValue.where(CURRENT, Map.copyOf(headers)).call(work::get);
  }

  /// None, if nobody traces this work.
  public static Map<String, String> current() {
    return CURRENT.isBound() ? CURRENT.get() : Map.of();
  }
}
