package keyfleet.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.MultiCollector;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/// The HTTP endpoint for orchestrators and monitoring: `/livez`, `/readyz`, `/metrics`. Responses
/// come from memory, so requests put no load on the store.
public final class ProbeServer implements AutoCloseable {
  /// By default the JDK's server waits forever, also for slow clients.
  private static final Map<String, String> HTTP_LIMITS =
      Map.of(
          "sun.net.httpserver.maxReqTime", "10",
          "sun.net.httpserver.maxRspTime", "30",
          "sun.net.httpserver.maxReqHeaders", "50",
          "jdk.httpserver.maxConnections", "200");

  private static final String TEXT = "text/plain; charset=utf-8";
  private static final int STOP_SECONDS = 1;

  private record Response(int status, String type, String body) {}

  /// Whether a process can take work, and the reason.
  public record Readiness(String component, boolean isReady, String detail) {}

  private final Supplier<Readiness> readiness;
  private final MultiCollector metrics;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  private ProbeServer(HttpServer server, Supplier<Readiness> readiness, MultiCollector metrics) {
    this.server = server;
    this.readiness = readiness;
    this.metrics = metrics;
  }

  /// Throws [ListenAddressException] if the address is in use or does not belong to this host.
  public static ProbeServer open(
      InetSocketAddress address, Supplier<Readiness> readiness, MultiCollector metrics) {
    HTTP_LIMITS.forEach((name, value) -> {
      if (System.getProperty(name) == null) {
        System.setProperty(name, value);
      }
    });
    try {
      ProbeServer probeServer = new ProbeServer(HttpServer.create(address, 0), readiness, metrics);
      probeServer.server.createContext("/", probeServer::handle);
      probeServer.server.setExecutor(probeServer.threads);
      probeServer.server.start();
      return probeServer;
    } catch (IOException e) {
      throw new ListenAddressException(address, e);
    }
  }

  public InetSocketAddress address() {
    return server.getAddress();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Response response = respond(exchange);
      byte[] body = response.body().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", response.type());
      exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
      boolean isHead = exchange.getRequestMethod().equals("HEAD");
      exchange.sendResponseHeaders(response.status(), isHead ? -1 : body.length);
      if (!isHead) {
        exchange.getResponseBody().write(body);
      }
    }
  }

  private Response respond(HttpExchange exchange) throws IOException {
    String method = exchange.getRequestMethod();
    if (!method.equals("GET") && !method.equals("HEAD")) {
      exchange.getResponseHeaders().set("Allow", "GET, HEAD");
      return new Response(405, TEXT, "only GET and HEAD are allowed\n");
    }
    return switch (exchange.getRequestURI().getPath()) {
      case "/livez" -> new Response(200, TEXT, "ok\n");
      case "/readyz" -> readinessResponse();
      case "/metrics" -> scrapeMetrics();
      default ->
          new Response(404, TEXT, "not found; this address serves /livez, /readyz and /metrics\n");
    };
  }

  private Response readinessResponse() {
    Readiness now = readiness.get();
    String line = now.component() + " " + now.detail() + "\n";
    return now.isReady()
        ? new Response(200, TEXT, "[+]" + line)
        : new Response(503, TEXT, "[-]" + line);
  }

  private Response scrapeMetrics() throws IOException {
    PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    writer.write(body, metrics.collect());
    return new Response(200, writer.getContentType(), body.toString(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    server.stop(STOP_SECONDS);
    threads.shutdown();
  }
}
