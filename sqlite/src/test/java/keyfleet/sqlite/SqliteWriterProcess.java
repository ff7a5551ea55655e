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
  private final BufferedReader said;

  private SqliteWriterProcess(Process process) {
    this.process = process;
    this.said = process.inputReader(StandardCharsets.UTF_8);
  }

  static SqliteWriterProcess start(StoreUrl url, String name, String what) {
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
            what);
    command.redirectError(ProcessBuilder.Redirect.INHERIT);
    try {
      return new SqliteWriterProcess(command.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void awaitReady() {
    String first = line();
    if (!first.equals(SqliteWriterMain.READY)) {
      throw new IllegalStateException("the child printed '" + first + "'");
    }
  }

  void go() {
    tell("go");
  }

  void stop() {
    tell("stop");
  }

  /// Empty at the end of the output.
  String line() {
    try {
      String line = said.readLine();
      return line == null ? "" : line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<String> rest() {
    List<String> rest = new ArrayList<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
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

  private void tell(String word) {
    try {
      Writer input = process.outputWriter(StandardCharsets.UTF_8);
      input.write(word + System.lineSeparator());
      input.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
