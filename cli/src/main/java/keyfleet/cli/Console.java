package keyfleet.cli;

import java.io.PrintStream;
import org.jspecify.annotations.Nullable;

/// Where a command's data and words go.
record Console(PrintStream out, PrintStream err, Output output) {
  /// What standard output is. The launcher knows and says so; where nobody says, it is taken for a
  /// terminal, so that a secret is rather withheld than shown.
  enum Output {
    TERMINAL,
    PIPE;

    static Output of(@Nullable String property) {
      return "pipe".equals(property) ? PIPE : TERMINAL;
    }
  }

  /// Says what went wrong and what to do about it.
  void complain(String sentence, String remedy) {
    err.println("keyfleet: " + sentence);
    err.println("Try: " + remedy);
  }
}
