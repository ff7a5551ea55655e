package keyfleet.cli.output;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import keyfleet.crypto.SecretBytes;
import org.jspecify.annotations.Nullable;

/// A secret that a person types at a terminal, which does not show it.
@FunctionalInterface
public interface HiddenInput {
  /// The launcher's word for a terminal.
  String TERMINAL = "terminal";

  /// Of one `char` in UTF-8.
  int MAX_BYTES_OF_A_CHARACTER = 3;

  /// No person is at the input.
  HiddenInput NONE = _ -> Optional.empty();

  /// Prints the question and reads one line, in UTF-8 and without its end. Empty if no person is at
  /// the input: then the secret comes from standard input. An empty line, or the end of the input,
  /// gives no bytes.
  Optional<SecretBytes> read(String question);

  /// The terminal of this process, if its standard input is one.
  ///
  /// @param stdin what the launcher found standard input to be; null without the launcher
  // SystemConsoleNull: the console of the JDK itself, which JDK 25 uses again, is null elsewhere
  @SuppressWarnings("SystemConsoleNull")
  static HiddenInput ofProcess(@Nullable String stdin) {
    return question -> {
      if (stdin != null && !stdin.equals(TERMINAL)) {
        return Optional.empty(); // not even a look at the terminal, which takes time
      }
      java.io.Console terminal = System.console();
      if (terminal != null && terminal.isTerminal()) {
        return Optional.of(toBytes(terminal.readPassword("%s ", question)));
      }
      if (stdin == null) {
        return Optional.empty();
      }
      throw new CommandException(
          "the terminal would show what you type, because standard output is not the terminal",
          "pipe the value in, or leave standard output on the terminal");
    };
  }

  private static SecretBytes toBytes(char @Nullable [] typed) {
    char[] line = typed == null ? new char[0] : typed;
    CharBuffer characters = CharBuffer.wrap(line);
    ByteBuffer encoded = ByteBuffer.allocate(MAX_BYTES_OF_A_CHARACTER * line.length);
    StandardCharsets.UTF_8.newEncoder().encode(characters, encoded, true);
    byte[] bytes = Arrays.copyOf(encoded.array(), encoded.position());
    try {
      return SecretBytes.copyOf(bytes);
    } finally {
      Arrays.fill(line, ' ');
      Arrays.fill(bytes, (byte) 0);
      Arrays.fill(encoded.array(), (byte) 0);
    }
  }
}
