/// Spans of the plugin's calls, for a tracer that the caller brings. Without one, nothing is
/// recorded.
///
/// Start reading at: [PluginTracer], [TraceSpan], [CurrentSpan].
@NullMarked
package keyfleet.kms.tracing;

import org.jspecify.annotations.NullMarked;
