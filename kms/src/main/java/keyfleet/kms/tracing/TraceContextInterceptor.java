package keyfleet.kms.tracing;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Keeps the caller's trace headers while its call begins: those of W3C Trace Context. It ignores
/// baggage, which may contain anything.
public final class TraceContextInterceptor implements ServerInterceptor {
  private static final List<Metadata.Key<String>> HEADERS =
      List.of(header("traceparent"), header("tracestate"));

  private static final Context.Key<Map<String, String>> CURRENT_HEADERS =
      Context.keyWithDefault("keyfleet-caller-trace", Map.of());

  private static Metadata.Key<String> header(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  /// The headers of the call that this thread begins.
  public static Map<String, String> currentHeaders() {
    return CURRENT_HEADERS.get();
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata metadata, ServerCallHandler<Q, A> next) {
    Map<String, String> sent = new HashMap<>();
    for (Metadata.Key<String> header : HEADERS) {
      String value = metadata.get(header);
      if (value != null) {
        sent.put(header.name(), value);
      }
    }
    Context context = Context.current().withValue(CURRENT_HEADERS, Map.copyOf(sent));
    return Contexts.interceptCall(context, call, metadata, next);
  }
}
