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

/// A server on loopback that answers as a test says, for what a real one does not do on demand.
public final class ScriptedServer implements AutoCloseable {
  public record Answer(int status, Map<String, String> headers, String body) {
    public Answer(int status, String body) {
      this(status, Map.of(), body);
    }
  }

  /// What came in.
  public record Heard(String path, Map<String, List<String>> headers, String body) {
    public String header(String name) {
      return headers.entrySet().stream()
          .filter(one -> one.getKey().equalsIgnoreCase(name))
          .map(one -> String.join(",", one.getValue()))
          .findFirst()
          .orElse("");
    }
  }

  private final HttpServer server;
  private final Function<Heard, Answer> script;
  private final Queue<Heard> heard = new ConcurrentLinkedQueue<>();

  private ScriptedServer(HttpServer server, Function<Heard, Answer> script) {
    this.server = server;
    this.script = script;
    server.createContext("/", this::answer);
    server.start();
  }

  public static ScriptedServer start(Function<Heard, Answer> script) {
    return start(script, null);
  }

  static ScriptedServer start(Function<Heard, Answer> script, @Nullable SSLContext tls) {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try {
      if (tls == null) {
        return new ScriptedServer(HttpServer.create(any, 0), script);
      }
      HttpsServer server = HttpsServer.create(any, 0);
      server.setHttpsConfigurator(new HttpsConfigurator(tls));
      return new ScriptedServer(server, script);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return server.getAddress().getPort();
  }

  public List<Heard> heard() {
    return List.copyOf(heard);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      Heard request =
          new Heard(
              exchange.getRequestURI().getPath(),
              Map.copyOf(exchange.getRequestHeaders()),
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
      heard.add(request);
      Answer answer = script.apply(request);
      byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
      answer.headers().forEach(exchange.getResponseHeaders()::set);
      exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
