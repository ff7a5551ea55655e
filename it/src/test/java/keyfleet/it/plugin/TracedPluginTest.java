package keyfleet.it.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import keyfleet.it.process.ProcessFleet;
import keyfleet.it.process.TestProcess;
import keyfleet.it.process.TestProcess.JavaProgram;
import keyfleet.kms.v2.EncryptResponse;
import keyfleet.otel.FakeCollector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Runs a KMS plugin as shipped: with a collector, with a collector that is down, and without one.
@Timeout(300)
class TracedPluginTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final Map<String, String> CALLER =
      Map.of("traceparent", "00-" + TRACE + "-00f067aa0ba902b7-01");
  private static final String LOST = "spans do not reach";

  @TempDir Path folder = Path.of("");
  private final List<TestProcess> started = new ArrayList<>();

  @BeforeEach
  void announce() throws IOException {
    Path file = Files.createDirectory(folder.resolve("keys")).resolve("kms.v1.key");
    Files.writeString(file, ProcessFleet.key(1));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    TestProcess announced = start(List.of(), "kek", "announce", "--use=kms", "--version=1");
    assertEquals(0, announced.await(), announced::output);
  }

  @AfterEach
  void endAll() {
    started.forEach(TestProcess::close);
  }

  private Path socket() {
    return folder.resolve("run/kms.sock");
  }

  private TestProcess start(List<String> options, String... args) {
    Map<String, String> environment = new HashMap<>(ProcessFleet.TIMINGS);
    String name = "process-" + started.size();
    environment.put("KEYFLEET_STORE", "sqlite:" + folder.resolve("fleet.db"));
    environment.put("KEYFLEET_PROVIDER", "file:" + folder.resolve("keys"));
    environment.put("KEYFLEET_HOME", folder.resolve("home").toString());
    environment.put("KEYFLEET_INSTANCE", name);
    JavaProgram command = ProcessFleet.command(List.of(args));
    List<String> all = Stream.concat(command.options().stream(), options.stream()).toList();
    TestProcess process =
        TestProcess.start(
            folder, name, environment, new JavaProgram(all, command.main(), command.args()));
    started.add(process);
    return process;
  }

  private TestProcess plugin(List<String> options, String... flags) {
    List<String> args = new ArrayList<>(List.of("kms-plugin", "--listen=unix://" + socket()));
    args.addAll(List.of(flags));
    TestProcess plugin = start(options, args.toArray(String[]::new));
    plugin.awaitLine("announces key_id");
    return plugin;
  }

  private EncryptResponse roundTrip() {
    try (PluginClient client = new PluginClient(socket(), CALLER)) {
      EncryptResponse stored = client.encrypt("hush-marker");
      assertEquals("hush-marker", client.decrypt(stored));
      return stored;
    }
  }

  @Test
  void spans_reachTheCollector_theLastOnesWhenThePluginEnds() {
    try (FakeCollector collector = FakeCollector.start()) {
      TestProcess plugin =
          plugin(List.of(), "--otlp-endpoint=" + collector.url(), "--log-requests");
      plugin.awaitLine("sending spans to " + collector.url());
      EncryptResponse stored = roundTrip();
      assertEquals(143, plugin.stop(), plugin::output);
      assertFalse(plugin.output().contains(LOST), plugin::output);
      List<String> ofTheCaller =
          collector.spans().stream()
              .filter(it -> HexFormat.of().formatHex(it.getTraceId().toByteArray()).equals(TRACE))
              .map(Span::getName)
              .sorted()
              .toList();
      assertEquals(
          List.of("v2.KeyManagementService/Decrypt", "v2.KeyManagementService/Encrypt"),
          ofTheCaller);
      assertEquals(2, plugin.err().stream().filter(it -> it.endsWith("trace_id=" + TRACE)).count());
      String sent = new String(collector.bytes(), StandardCharsets.ISO_8859_1);
      assertTrue(sent.contains("make local KEK"), "the plugin's own trace");
      assertTrue(sent.contains("keyfleet-kms-plugin"), "the service name");
      assertFalse(sent.contains("hush-marker"), "a plaintext was sent");
      stored
          .getAnnotationsMap()
          .values()
          .forEach(it ->
              assertFalse(
                  sent.contains(it.toString(StandardCharsets.ISO_8859_1)), "a value was sent"));
    }
  }

  @Test
  void unreachableCollector_isLoggedOnce_andCallsAreServed() {
    int port;
    try (FakeCollector gone = FakeCollector.start()) {
      port = gone.port();
    }
    TestProcess plugin = plugin(List.of(), "--otlp-endpoint=http://127.0.0.1:" + port);
    roundTrip();
    plugin.awaitLine(LOST);
    roundTrip();
    assertEquals(143, plugin.stop(), plugin::output);
    assertEquals(1, plugin.err().stream().filter(it -> it.contains(LOST)).count(), plugin::output);
  }

  /// Another library, such as that of the metrics, may look for OpenTelemetry on the class path.
  @Test
  void pluginWithoutACollector_loadsNoOpenTelemetryClass() throws IOException {
    Path loaded = folder.resolve("loaded.log");
    TestProcess plugin = plugin(List.of("-Xlog:class+load:file=" + loaded));
    roundTrip();
    assertEquals(143, plugin.stop(), plugin::output);
    List<String> classes = Files.readAllLines(loaded);
    assertTrue(classes.stream().anyMatch(it -> it.contains(" keyfleet.kms.grpc.EncryptHandler ")));
    assertEquals(
        List.of(), classes.stream().filter(it -> it.contains(" io.opentelemetry.")).toList());
  }

  @Test
  void invalidOptions_printOneSentence() {
    TestProcess address = start(List.of(), "kms-plugin", "--otlp-endpoint=localhost:4317");
    assertEquals(1, address.await(), address::output);
    assertTrue(
        address.output().contains("--otlp-endpoint=localhost:4317 is not a collector address"),
        address::output);
    assertTrue(address.output().contains("--otlp-endpoint=http://127.0.0.1:4318"), address::output);
    TestProcess user = start(List.of(), "kms-plugin", "--otlp-endpoint=http://me:word@host");
    assertEquals(1, user.await(), user::output);
    assertFalse(user.output().contains("word"), user::output);
    TestProcess ratio = start(List.of(), "kms-plugin", "--trace-ratio=7");
    assertEquals(1, ratio.await(), ratio::output);
    assertTrue(ratio.output().contains("--trace-ratio=0.1"), ratio::output);
  }
}
