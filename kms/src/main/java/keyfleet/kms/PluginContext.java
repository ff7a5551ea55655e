package keyfleet.kms;

import java.util.function.Consumer;
import java.util.function.LongSupplier;
import keyfleet.kms.tracing.PluginTracer;
import org.jspecify.annotations.Nullable;

/// What everything in a plugin is handed.
///
/// @param clock nanoseconds that go on while the machine is suspended
/// @param nanos nanoseconds that are quick to read, to measure calls with
/// @param tracing null if nobody traces
public record PluginContext(
    LongSupplier clock,
    LongSupplier nanos,
    Consumer<PluginEvent> events,
    @Nullable PluginTracer pluginTracer) {
  /// Where nobody traces.
  public PluginContext(LongSupplier clock, LongSupplier nanos, Consumer<PluginEvent> events) {
    this(clock, nanos, events, null);
  }
}
