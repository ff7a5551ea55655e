package keyfleet.cli.output;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import keyfleet.store.host.PrintableText;
import org.jspecify.annotations.Nullable;

/// Where a command's data and words go, and where a secret or an answer comes from.
public record Console(InputStream in, PrintStream out, PrintStream err, Output output) {
  /// What standard output is. The launcher knows and says so; where nobody says, it is taken for a
  /// terminal, so that a secret is rather withheld than shown.
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

  /// Says what went wrong and what to do about it.
  public void printError(String message, String remedy) {
    err.println("keyfleet: " + message);
    err.println("Try: " + remedy);
  }

  /// Asks, and reads one line; empty if nobody answers.
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

  /// Something that another process wrote, fit for a terminal: no line breaks, no control
  /// characters.
  public static String sanitize(String text) {
    return PrintableText.of(text);
  }
}
