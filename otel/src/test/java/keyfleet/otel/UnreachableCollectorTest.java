package keyfleet.otel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import keyfleet.kms.tracing.TraceSpan;
import keyfleet.member.process.ProcessEvent;
import keyfleet.member.process.ProcessEvent.Severity;
import keyfleet.otel.OtlpTracing.Settings;
import keyfleet.otel.OtlpTracing.Source;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A collector that is gone or does not answer costs only spans.
@Timeout(120)
final class UnreachableCollectorTest {
  /// Much less than the export timeout.
  private static final Duration QUICK = Duration.ofSeconds(3);

  /// Ten times the capacity of the queue.
  private static final int MANY = 20_000;

  private final List<ProcessEvent> events = Collections.synchronizedList(new ArrayList<>());

  private OtlpTracing tracing(int port) {
    CollectorAddress address = CollectorAddress.parse("http://127.0.0.1:" + port).orElseThrow();
    return OtlpTracing.open(
        new Settings(address, 1, new Source("plugin-1", "kms", "test")), events::add);
  }

  private static ServerSocket listeningSocket() throws IOException {
    return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  private static void call(OtlpTracing tracing) {
    TraceSpan span = tracing.startCall("Encrypt", Map.of());
    span.startChild(TraceSpan.Stage.REMOTE_WRAP).end(0);
    span.end(0);
  }

  /// The duration of the longest of many calls.
  private static Duration longest(OtlpTracing tracing) {
    long longest = 0;
    for (int i = 0; i < MANY; i++) {
      long startNanos = System.nanoTime();
      call(tracing);
      longest = Math.max(longest, System.nanoTime() - startNanos);
    }
    return Duration.ofNanos(longest);
  }

  private static Duration time(Runnable work) {
    long startNanos = System.nanoTime();
    work.run();
    return Duration.ofNanos(System.nanoTime() - startNanos);
  }

  @Test
  void lostCollector_isReportedOnce_andItsReturnToo() throws IOException {
    int port;
    try (ServerSocket socket = listeningSocket()) {
      port = socket.getLocalPort();
    }
    try (OtlpTracing tracing = tracing(port)) {
      for (int batch = 0; batch < 3; batch++) {
        call(tracing);
        tracing.flush();
      }
      assertEquals(1, events.size(), events::toString);
      ProcessEvent lost = events.getFirst();
      String words = "spans do not reach http://127.0.0.1:" + port + " and are dropped: ";
      assertTrue(lost.message().startsWith(words), lost::toString);
      assertEquals(Severity.WARN, lost.severity());
      try (FakeCollector back = FakeCollector.start(port)) {
        for (int batch = 0; batch < 2; batch++) {
          call(tracing);
          tracing.flush();
        }
        // The HTTP client may still be trying to connect for an earlier batch.
        assertTrue(back.spans().size() >= 4, () -> back.spans().size() + " spans arrived");
      }
    }
    assertEquals(
        List.of(ProcessEvent.info("spans reach http://127.0.0.1:" + port + " again")),
        events.subList(1, events.size()));
  }

  @Test
  void collectorThatNeverAnswers_delaysNoCall_andTheEndByLittle() throws IOException {
    try (ServerSocket silent = listeningSocket()) {
      OtlpTracing tracing = tracing(silent.getLocalPort());
      Duration longest = longest(tracing);
      assertTrue(longest.compareTo(QUICK) < 0, () -> "a call took " + longest);
      Duration end = time(tracing::close);
      assertTrue(end.compareTo(QUICK.plus(QUICK)) < 0, () -> "the end took " + end);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "http://127.0.0.1:4318, http://127.0.0.1:4318/v1/traces",
    "https://otel.example/, https://otel.example/v1/traces",
    "http://[::1]:4318/base, http://[::1]:4318/base/v1/traces"
  })
  void address_hasThePathOfTraces(String address, String traces) {
    assertEquals(traces, CollectorAddress.parse(address).orElseThrow().tracesUrl());
  }

  @ParameterizedTest
  @CsvSource({
    "localhost:4318",
    "grpc://localhost:4317",
    "http://",
    "http://user:word@localhost:4318",
    "http://localhost:4318?key=word",
    "http://localhost:4318#word",
    "http://local host:4318"
  })
  void otherAddress_isRefused(String address) {
    assertTrue(CollectorAddress.parse(address).isEmpty());
  }
}
