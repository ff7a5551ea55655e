package keyfleet.otel;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// A collector on loopback that keeps what it receives.
public final class FakeCollector implements AutoCloseable {
  private final HttpServer server;
  private final List<byte[]> bodies = Collections.synchronizedList(new ArrayList<>());

  private FakeCollector(HttpServer server) {
    this.server = server;
    server.createContext("/v1/traces", this::receive);
    server.start();
  }

  public static FakeCollector start() {
    return start(0);
  }

  /// Port 0 picks a free one.
  public static FakeCollector start(int port) {
    try {
      return new FakeCollector(
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      bodies.add(exchange.getRequestBody().readAllBytes());
      exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
      exchange.sendResponseHeaders(200, -1);
    }
  }

  public String url() {
    return "http://127.0.0.1:" + port();
  }

  public int port() {
    return server.getAddress().getPort();
  }

  public List<Span> spans() {
    return List.copyOf(bodies).stream()
        .map(FakeCollector::parse)
        .flatMap(request -> request.getResourceSpansList().stream())
        .flatMap(resource -> resource.getScopeSpansList().stream())
        .flatMap(scope -> scope.getSpansList().stream())
        .toList();
  }

  private static ExportTraceServiceRequest parse(byte[] body) {
    try {
      return ExportTraceServiceRequest.parseFrom(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// All bodies that were received, concatenated.
  public byte[] bytes() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    List.copyOf(bodies).forEach(all::writeBytes);
    return all.toByteArray();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
