package keyfleet.cli.output;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import keyfleet.store.host.PrintableText;
import org.jspecify.annotations.Nullable;

/// The streams of a command: input for secrets and answers, output for data, errors for messages.
///
/// Data and messages that cannot be written end the command with an [OutputFailedException]. The
/// log of a process that goes on is written to [#err()] directly, and may be lost.
public final class Console {
  /// What standard output is. The launcher passes it as a property; without the property a terminal
  /// is assumed, so that no key is printed on a screen by mistake.
  public enum Output {
    TERMINAL,
    PIPE,
    FILE;

    public static Output of(@Nullable String property) {
      if ("pipe".equals(property)) {
        return PIPE;
      }
      return "file".equals(property) ? FILE : TERMINAL;
    }
  }

  private static final int MAX_ANSWER_LENGTH = 200;

  private final InputStream in;
  private final DataStream data;
  private final PrintStream out;
  private final PrintStream err;
  private final Output output;
  private HiddenInput hiddenInput = HiddenInput.NONE;
  private UnaryOperator<String> remedyCompletion = UnaryOperator.identity();
  private BooleanSupplier isReaderGone = () -> false;

  public Console(
      InputStream in, OutputStream data, PrintStream err, Charset charset, Output output) {
    this.in = in;
    this.data = new DataStream(data);
    this.out = this.data.toPrintStream(charset);
    this.err = err;
    this.output = output;
  }

  public InputStream in() {
    return in;
  }

  public PrintStream out() {
    return out;
  }

  public PrintStream err() {
    return err;
  }

  public Output output() {
    return output;
  }

  /// Whether the command has printed any data.
  public boolean hasData() {
    return data.hasWritten();
  }

  /// Sets how the command learns that the reader of its output has ended.
  public void detectReaderEnd(BooleanSupplier isGone) {
    isReaderGone = isGone;
  }

  /// Throws if standard output is a pipe whose reader has ended: a command that waits would then
  /// wait for nothing.
  public void requireReader() {
    if (output == Output.PIPE && isReaderGone.getAsBoolean()) {
      throw new OutputFailedException("standard output", new IOException("its reader has ended"));
    }
  }

  public boolean isTerminal() {
    return output == Output.TERMINAL;
  }

  /// Prints a line that is not data.
  public void printMessage(String message) {
    err.println(message);
    if (err.checkError()) {
      throw new OutputFailedException("standard error", new IOException("it is closed or full"));
    }
  }

  public void printError(String message, String remedy) {
    err.println("keyfleet: " + message);
    printRemedy(remedy);
  }

  /// Sets how a remedy is completed with the context of the call.
  public void completeRemedies(UnaryOperator<String> completion) {
    remedyCompletion = completion;
  }

  /// The remedy as it is printed: with the keyring, store and configuration of the call.
  public String complete(String remedy) {
    return remedyCompletion.apply(remedy);
  }

  /// Prints the line that ends every failure. What begins like a command can be pasted.
  public void printRemedy(String remedy) {
    err.println("Try: " + complete(remedy));
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

  /// Sets how a person types a secret.
  public void useHiddenInput(HiddenInput input) {
    hiddenInput = input;
  }

  /// Where a person types a secret without echo.
  public HiddenInput hiddenInput() {
    return hiddenInput;
  }

  /// Makes text from outside safe to print: without line breaks and control characters.
  public static String sanitize(String text) {
    return PrintableText.of(text);
  }
}
