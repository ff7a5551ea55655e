/// Tells the work of a KMS plugin to an OpenTelemetry collector. The plugin's room knows nothing of
/// it: this one is opened by who wires the process, and only if a collector was named, so that its
/// library costs nobody else anything.
///
/// Calls never wait here. A span that ends goes into a queue with a limit; one thread sends what is
/// in it, and what does not fit, or does not arrive in time, is dropped.
@NullMarked
package keyfleet.otel;

import org.jspecify.annotations.NullMarked;
