package keyfleet.kms;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// What everything in a plugin is handed.
///
/// @param clock nanoseconds that go on while the machine is suspended
/// @param nanos nanoseconds that are quick to read, to measure calls with
public record Surroundings(LongSupplier clock, LongSupplier nanos, Consumer<PluginEvent> events) {}
