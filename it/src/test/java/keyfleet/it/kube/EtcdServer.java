package keyfleet.it.kube;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import keyfleet.it.process.ExternalProgram;
import keyfleet.it.process.TestProcess;

/// A real etcd on loopback, with its data in the test's folder.
final class EtcdServer implements AutoCloseable {
  private static final Pattern VALUE = Pattern.compile("\"value\":\"([^\"]*)\"");

  private final Path folder;
  private final String url = "http://127.0.0.1:" + ExternalProgram.freePort();
  private final HttpClient http = HttpClient.newHttpClient();
  private TestProcess process;

  EtcdServer(Path folder) {
    this.folder = folder;
    this.process = startServer();
  }

  private TestProcess startServer() {
    TestProcess etcd =
        TestProcess.startCommand(
            folder,
            "etcd",
            Map.of(),
            List.of(
                ExternalProgram.ETCD.path(),
                "--data-dir=" + data(),
                "--listen-client-urls=" + url,
                "--advertise-client-urls=" + url,
                "--listen-peer-urls=http://127.0.0.1:0"));
    etcd.awaitLine("ready to serve client requests");
    return etcd;
  }

  private Path data() {
    return folder.resolve("etcd-data");
  }

  String url() {
    return url;
  }

  /// SIGKILL, then a restart on the same data.
  void restart() {
    process.kill();
    process = startServer();
  }

  /// The bytes stored under the key, as Latin-1 text.
  String value(String key) {
    String body =
        "{\"key\":\"%s\"}".formatted(Base64.getEncoder().encodeToString(key.getBytes(UTF_8)));
    HttpRequest range =
        HttpRequest.newBuilder(URI.create(url + "/v3/kv/range"))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      String answer = http.send(range, HttpResponse.BodyHandlers.ofString()).body();
      Matcher value = VALUE.matcher(answer);
      assertTrue(value.find(), () -> key + ": " + answer);
      return new String(Base64.getDecoder().decode(value.group(1)), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /// Whether any of its data files contains these bytes: the log, live pages, deleted pages.
  boolean hasOnDisk(String text) {
    try (Stream<Path> all = Files.walk(data())) {
      return all.filter(Files::isRegularFile).anyMatch(it -> bytes(it).contains(text));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String bytes(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.close();
  }
}
