package keyfleet.kms;

import java.util.function.Consumer;
import java.util.function.LongSupplier;
import keyfleet.kms.tracing.PluginTracer;
import keyfleet.member.process.ProcessEvent;
import org.jspecify.annotations.Nullable;

/// The clocks, the event sink and the tracer that the parts of a plugin share.
///
/// @param clock nanoseconds, also counted while the machine is suspended
/// @param nanos nanoseconds that are cheap to read, to measure calls
/// @param tracer null if calls are not traced
public record PluginContext(
    LongSupplier clock,
    LongSupplier nanos,
    Consumer<ProcessEvent> events,
    @Nullable PluginTracer tracer) {
  /// Without a tracer.
  public PluginContext(LongSupplier clock, LongSupplier nanos, Consumer<ProcessEvent> events) {
    this(clock, nanos, events, null);
  }
}
