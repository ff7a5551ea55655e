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

/// What orchestrators and monitors ask over HTTP: `/livez`, `/readyz`, `/metrics`. Answers come
/// from memory, so nobody who asks can make the store work.
public final class ProbeServer implements AutoCloseable {
  /// The JDK's server waits for ever by default, for slow clients too.
  private static final Map<String, String> LIMITS =
      Map.of(
          "sun.net.httpserver.maxReqTime", "10",
          "sun.net.httpserver.maxRspTime", "30",
          "sun.net.httpserver.maxReqHeaders", "50",
          "jdk.httpserver.maxConnections", "200");

  private static final String TEXT = "text/plain; charset=utf-8";
  private static final int STOP_SECONDS = 1;

  private record Response(int status, String type, String body) {}

  /// Whether a process may be sent work, and why.
  public record Readiness(String who, boolean yes, String words) {}

  private final Supplier<Readiness> readiness;
  private final MultiCollector metrics;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  private ProbeServer(HttpServer server, Supplier<Readiness> readiness, MultiCollector metrics) {
    this.server = server;
    this.readiness = readiness;
    this.metrics = metrics;
  }

  /// Throws [ListenAddressException] if the address is taken, or none of this host's.
  public static ProbeServer open(
      InetSocketAddress address, Supplier<Readiness> readiness, MultiCollector metrics) {
    LIMITS.forEach((name, value) -> {
      if (System.getProperty(name) == null) {
        System.setProperty(name, value);
      }
    });
    try {
      ProbeServer door = new ProbeServer(HttpServer.create(address, 0), readiness, metrics);
      door.server.createContext("/", door::answer);
      door.server.setExecutor(door.threads);
      door.server.start();
      return door;
    } catch (IOException e) {
      throw new ListenAddressException(address, e);
    }
  }

  public InetSocketAddress address() {
    return server.getAddress();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      Response answer = answered(exchange);
      byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", answer.type());
      exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
      boolean isHead = exchange.getRequestMethod().equals("HEAD");
      exchange.sendResponseHeaders(answer.status(), isHead ? -1 : body.length);
      if (!isHead) {
        exchange.getResponseBody().write(body);
      }
    }
  }

  private Response answered(HttpExchange exchange) throws IOException {
    String method = exchange.getRequestMethod();
    if (!method.equals("GET") && !method.equals("HEAD")) {
      exchange.getResponseHeaders().set("Allow", "GET, HEAD");
      return new Response(405, TEXT, "only GET is answered here\n");
    }
    return switch (exchange.getRequestURI().getPath()) {
      case "/livez" -> new Response(200, TEXT, "ok\n");
      case "/readyz" -> readiness();
      case "/metrics" -> scraped();
      default -> new Response(404, TEXT, "there are /livez, /readyz and /metrics\n");
    };
  }

  private Response readiness() {
    Readiness now = readiness.get();
    String line = now.who() + " " + now.words() + "\n";
    return now.yes()
        ? new Response(200, TEXT, "[+]" + line)
        : new Response(503, TEXT, "[-]" + line);
  }

  private Response scraped() throws IOException {
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
