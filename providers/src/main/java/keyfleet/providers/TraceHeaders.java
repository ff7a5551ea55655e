package keyfleet.providers;

import java.util.Map;
import java.util.function.Supplier;

/// The trace of the work of this thread, as headers for a remote that continues it. They hold ids
/// of the trace and nothing about the data.
public final class TraceHeaders {
  private static final ScopedValue<Map<String, String>> CURRENT = ScopedValue.newInstance();

  private TraceHeaders() {}

  public static <T> T callWith(Map<String, String> headers, Supplier<T> work) {
    return ScopedValue.where(CURRENT, Map.copyOf(headers)).call(work::get);
  }

  /// The headers; empty if this work is not traced.
  public static Map<String, String> current() {
    return CURRENT.isBound() ? CURRENT.get() : Map.of();
  }
}
