package keyfleet.cli.secret;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import keyfleet.cli.CliFleet;
import keyfleet.cli.SqliteBackend;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.EngineFactory;
import keyfleet.cli.output.Console;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.SecretBytes;
import keyfleet.providers.ProviderSpec.ProviderContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// What the audit costs one process that puts many secrets.
class SecretThroughputTest {
  private static final int ROUNDS = 7;
  private static final int PUTS = 64;

  @TempDir Path folder = Path.of("");
  private int names;

  @Test
  void audit_costsAtMostHalfOfTheSpeed() {
    try (CliFleet fleet = new CliFleet(new SqliteBackend(folder))) {
      fleet.announce(1);
      try (CommandSession session = openSession(fleet);
          SecretBytes value = SecretBytes.copyOf("hunter2".getBytes(UTF_8))) {
        compare(session, value);
      }
    }
  }

  private static CommandSession openSession(CliFleet fleet) {
    ProviderContext runtime =
        new ProviderContext(Map.copyOf(fleet.environment), new SecureRandom(), fleet);
    PrintStream none = new PrintStream(OutputStream.nullOutputStream(), false, UTF_8);
    Console console =
        new Console(InputStream.nullInputStream(), none, none, UTF_8, Console.Output.PIPE);
    CommandContext context =
        new CommandContext(
            console,
            () -> runtime,
            () -> {
              throw new IllegalStateException("no configuration file");
            },
            EngineFactory::open,
            () -> CliFleet.ANNA);
    return context.openSession(
        new CommandLine(new SecretPutCommand(context).options().spec()).parseArgs("name"));
  }

  /// Rounds of both alternate, and the fastest of each counts: the machine may be busy.
  private void compare(CommandSession session, SecretBytes value) {
    SecretWriter writer = new SecretWriter(session);
    SecretCollection collection = SecretCollection.create(session);
    SecretSealer sealer = new SecretSealer(session, collection);
    Duration audited = Duration.ofDays(1);
    Duration imported = audited;
    Duration plain = audited;
    for (int i = 0; i < ROUNDS; i++) {
      audited = min(audited, time(() -> forEachName(name -> writer.put(name, value))));
      imported = min(imported, time(() -> putAll(writer)));
      plain =
          min(
              plain,
              time(() ->
                  forEachName(name -> {
                    Envelope envelope = sealer.seal(SecretCollection.fieldLocation(name), value);
                    writer.write(name, collection.read(name).orElse(null), envelope);
                  })));
    }
    double ratio = (double) plain.toNanos() / imported.toNanos();
    System.out.printf(
        "secrets put in one process: %.0f/s imported, %.0f/s without the audit, ratio %.2f"
            + " (one entry each: %.0f/s)%n",
        perSecond(imported), perSecond(plain), ratio, perSecond(audited));
    assertTrue(ratio >= 0.5, () -> "ratio " + ratio);
  }

  private void forEachName(Consumer<SecretName> put) {
    for (int i = 0; i < PUTS; i++) {
      put.accept(new SecretName("n" + names++));
    }
  }

  private void putAll(SecretWriter writer) {
    List<SecretLine> lines = new ArrayList<>();
    forEachName(name -> lines.add(line(name)));
    int[] stored = {0};
    for (int i = 0; i < PUTS; i += SecretImportCommand.BATCH_LINES) {
      writer.putAll(
          lines.subList(i, Math.min(PUTS, i + SecretImportCommand.BATCH_LINES)),
          (_, _) -> stored[0]++,
          (_, _) -> {});
    }
    lines.forEach(SecretLine::close);
    assertEquals(PUTS, stored[0]);
  }

  private static SecretLine line(SecretName name) {
    byte[] json = "{\"name\":\"%s\",\"value\":\"hunter2\"}".formatted(name).getBytes(UTF_8);
    try {
      return SecretLine.parse(1, json, json.length);
    } catch (SecretLine.InvalidLineException e) {
      throw new AssertionError(e);
    }
  }

  private static Duration time(Runnable work) {
    long start = System.nanoTime();
    work.run();
    return Duration.ofNanos(System.nanoTime() - start);
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static double perSecond(Duration duration) {
    return PUTS * 1e9 / duration.toNanos();
  }
}
