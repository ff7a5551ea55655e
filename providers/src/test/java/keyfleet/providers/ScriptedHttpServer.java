package keyfleet.providers;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/// A server on loopback that answers as a test says, for answers that a real server does not give
/// on demand.
public final class ScriptedHttpServer implements AutoCloseable {
  public record ScriptedResponse(int status, Map<String, String> headers, String body) {
    public ScriptedResponse(int status, String body) {
      this(status, Map.of(), body);
    }
  }

  public record ReceivedRequest(String path, Map<String, List<String>> headers, String body) {
    public String header(String name) {
      return headers.entrySet().stream()
          .filter(header -> header.getKey().equalsIgnoreCase(name))
          .map(header -> String.join(",", header.getValue()))
          .findFirst()
          .orElse("");
    }
  }

  private final HttpServer server;
  private final Function<ReceivedRequest, ScriptedResponse> script;
  private final Queue<ReceivedRequest> requests = new ConcurrentLinkedQueue<>();

  private ScriptedHttpServer(
      HttpServer server, Function<ReceivedRequest, ScriptedResponse> script) {
    this.server = server;
    this.script = script;
    server.createContext("/", this::answer);
    server.start();
  }

  public static ScriptedHttpServer start(Function<ReceivedRequest, ScriptedResponse> script) {
    return start(script, null);
  }

  public static ScriptedHttpServer start(
      Function<ReceivedRequest, ScriptedResponse> script, @Nullable SSLContext tls) {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try {
      if (tls == null) {
        return new ScriptedHttpServer(HttpServer.create(any, 0), script);
      }
      HttpsServer server = HttpsServer.create(any, 0);
      server.setHttpsConfigurator(new HttpsConfigurator(tls));
      return new ScriptedHttpServer(server, script);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return server.getAddress().getPort();
  }

  public List<ReceivedRequest> requests() {
    return List.copyOf(requests);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      ReceivedRequest request =
          new ReceivedRequest(
              exchange.getRequestURI().getPath(),
              Map.copyOf(exchange.getRequestHeaders()),
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
      requests.add(request);
      ScriptedResponse response = script.apply(request);
      byte[] body = response.body().getBytes(StandardCharsets.UTF_8);
      response.headers().forEach(exchange.getResponseHeaders()::set);
      exchange.sendResponseHeaders(response.status(), body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
