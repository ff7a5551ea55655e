package keyfleet.kms.tracing;

import java.util.Map;

/// Where the work of a plugin is told, span by span. A plugin that has none asks nobody for
/// anything.
public interface PluginTracer {
  /// A call began.
  ///
  /// @param method as the contract spells it
  /// @param sent what the caller sent of its own trace, by the names of headers
  TraceSpan startCall(String method, Map<String, String> sent);

  /// Work began that no call asked for.
  TraceSpan startBackgroundWork(TraceSpan.Stage stage);
}
