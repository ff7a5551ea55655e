package keyfleet.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import keyfleet.member.process.ProcessEvent;
import keyfleet.server.EventLog.Format;
import org.junit.jupiter.api.Test;

class EventLogTest {
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();

  @Test
  void text_isOneLineForAnyMessage() {
    log(Format.TEXT).warn("from another\nprocess\u001b[31m");
    assertEquals("2026-11-17T22:00:00Z WARN  from another?process?[31m\n", text());
  }

  @Test
  void json_isOneObjectPerLine() {
    log(Format.JSON).info("a \"word\"\nmore");
    assertEquals(
        """
        {"ts":"2026-11-17T22:00:00Z","level":"info","msg":"a \\"word\\"\\nmore","instance":"w-1","keyring":"main"}
        """,
        text());
  }

  @Test
  void stackOfAnUnexpectedException_isPrintedAtDebugOnlyAndWithoutValues() {
    ProcessEvent stack =
        ProcessEvent.stackOf("the test", new IllegalStateException("a secret value"));
    log(Format.TEXT).write(stack);
    assertEquals("", text());
    log(Format.TEXT).withDebugEvents().write(stack);
    assertTrue(text().startsWith("2026-11-17T22:00:00Z DEBUG "), text());
    assertTrue(text().contains("java.lang.IllegalStateException at keyfleet."), text());
    assertFalse(text().contains("secret"), text());
  }

  private EventLog log(Format format) {
    return new EventLog(
        new PrintStream(written, true, StandardCharsets.UTF_8),
        format,
        InstantSource.fixed(Instant.parse("2026-11-17T22:00:00Z")),
        "w-1",
        "main");
  }

  private String text() {
    return written.toString(StandardCharsets.UTF_8);
  }
}
