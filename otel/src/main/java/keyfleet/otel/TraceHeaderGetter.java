package keyfleet.otel;

import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Lets OpenTelemetry read the headers of a caller.
enum TraceHeaderGetter implements TextMapGetter<Map<String, String>> {
  INSTANCE;

  @Override
  public Set<String> keys(Map<String, String> headers) {
    return headers.keySet();
  }

  @Override
  public @Nullable String get(@Nullable Map<String, String> headers, String name) {
    return headers == null ? null : headers.get(name);
  }
}
