package keyfleet.sqlite;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import keyfleet.store.engine.StoreUrl;

/// A [SqliteWriterMain] in a separate process.
final class SqliteWriterProcess implements AutoCloseable {
  private static final int END_SECONDS = 20;

  private final Process process;
  private final BufferedReader output;

  private SqliteWriterProcess(Process process) {
    this.process = process;
    this.output = process.inputReader(StandardCharsets.UTF_8);
  }

  static SqliteWriterProcess start(StoreUrl url, String name, String mode) {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder command =
        new ProcessBuilder(
            java,
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            SqliteWriterMain.class.getName(),
            url.toString(),
            name,
            mode);
    command.redirectError(ProcessBuilder.Redirect.INHERIT);
    try {
      return new SqliteWriterProcess(command.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void awaitReady() {
    String first = readLine();
    if (!first.equals(SqliteWriterMain.READY)) {
      throw new IllegalStateException("the child printed '" + first + "'");
    }
  }

  void proceed() {
    send("go");
  }

  void stop() {
    send("stop");
  }

  /// Empty at the end of the output.
  String readLine() {
    try {
      String line = output.readLine();
      return line == null ? "" : line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<String> readRest() {
    List<String> rest = new ArrayList<>();
    for (String line = readLine(); !line.isEmpty(); line = readLine()) {
      rest.add(line);
    }
    return rest;
  }

  /// Like `kill -9`. Called on the handle, because `Process` itself would close the pipe with the
  /// last output in it.
  void kill() {
    process.toHandle().destroyForcibly();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the child does not exit");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for a child to exit", e);
    }
  }

  private void send(String word) {
    try {
      Writer input = process.outputWriter(StandardCharsets.UTF_8);
      input.write(word + System.lineSeparator());
      input.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
