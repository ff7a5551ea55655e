package keyfleet.cli.output;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import keyfleet.store.host.PrintableText;
import org.jspecify.annotations.Nullable;

/// The streams of a command: input for secrets and answers, output for data, errors for messages.
public record Console(InputStream in, PrintStream out, PrintStream err, Output output) {
  /// What standard output is. The launcher passes it as a property; without the property a terminal
  /// is assumed, so that no key is printed on a screen by mistake.
  public enum Output {
    TERMINAL,
    PIPE;

    public static Output of(@Nullable String property) {
      return "pipe".equals(property) ? PIPE : TERMINAL;
    }
  }

  private static final int MAX_ANSWER_LENGTH = 200;

  public boolean isTerminal() {
    return output == Output.TERMINAL;
  }

  /// Prints a line that is not data.
  public void printMessage(String message) {
    err.println(message);
  }

  public void printError(String message, String remedy) {
    err.println("keyfleet: " + message);
    err.println("Try: " + remedy);
  }

  /// Prints a question and reads one line; empty at the end of input.
  public String ask(String question) {
    err.print(question + " ");
    err.flush();
    StringBuilder line = new StringBuilder();
    try {
      for (int c = in.read();
          c >= 0 && c != '\n' && line.length() < MAX_ANSWER_LENGTH;
          c = in.read()) {
        line.append((char) c);
      }
    } catch (IOException e) {
      return "";
    }
    return line.toString().strip();
  }

  /// Makes text from outside safe to print: without line breaks and control characters.
  public static String sanitize(String text) {
    return PrintableText.of(text);
  }
}
