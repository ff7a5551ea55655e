package keyfleet.otel;

import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Lets OpenTelemetry read what a caller sent.
enum TraceHeaderGetter implements TextMapGetter<Map<String, String>> {
  READER;

  @Override
  public Set<String> keys(Map<String, String> sent) {
    return sent.keySet();
  }

  @Override
  public @Nullable String get(@Nullable Map<String, String> sent, String name) {
    return sent == null ? null : sent.get(name);
  }
}
