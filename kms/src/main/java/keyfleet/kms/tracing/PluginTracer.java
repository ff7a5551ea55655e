package keyfleet.kms.tracing;

import java.util.Map;

/// Starts the spans of a plugin's work.
public interface PluginTracer {
  /// Starts the span of a call.
  ///
  /// @param method the name in the contract
  /// @param sent the trace headers of the caller, by name
  TraceSpan startCall(String method, Map<String, String> sent);

  /// Starts the span of work that belongs to no call.
  TraceSpan startBackgroundWork(TraceSpan.Stage stage);
}
