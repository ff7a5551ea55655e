/// Exports the spans of a KMS plugin to an OpenTelemetry collector. The module `kms` does not know
/// this one: the code that wires the process opens it, and only if a collector is configured, so
/// that other processes do not load its library.
///
/// Start reading at: [OtlpTracing], [OtlpSpan], [FailureReportingExporter].
///
/// Calls never wait here. A span that ends goes into a bounded queue. One thread sends the queue; a
/// span that does not fit, or is not sent in time, is dropped.
@NullMarked
package keyfleet.otel;

import org.jspecify.annotations.NullMarked;
