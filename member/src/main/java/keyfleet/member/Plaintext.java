package keyfleet.member;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import keyfleet.crypto.SecretAccess;
import keyfleet.crypto.SecretBytes;

/// A value that is to be sealed, or was opened. Closing wipes it; nobody prints it.
public final class Plaintext implements AutoCloseable {
  /// Of a UTF-16 unit in UTF-8.
  private static final int MOST_BYTES = 3;

  private final SecretBytes secret;

  private Plaintext(SecretBytes secret) {
    this.secret = secret;
  }

  /// Takes `secret` over, and closes it when it is closed itself.
  static Plaintext owning(SecretBytes secret) {
    return new Plaintext(secret);
  }

  public static Plaintext of(byte[] bytes) {
    return new Plaintext(SecretBytes.copyOf(bytes));
  }

  /// Strict: half a character would be stored as a question mark.
  public static Plaintext of(String text) {
    byte[] buffer = new byte[text.length() * MOST_BYTES];
    ByteBuffer encoded = ByteBuffer.wrap(buffer);
    boolean wellFormed =
        UTF_8.newEncoder().encode(CharBuffer.wrap(text), encoded, true).isUnderflow();
    byte[] bytes = Arrays.copyOf(buffer, encoded.position());
    try {
      if (!wellFormed) {
        throw new IllegalArgumentException("a text to be sealed is not well-formed");
      }
      return of(bytes);
    } finally {
      Arrays.fill(buffer, (byte) 0);
      Arrays.fill(bytes, (byte) 0);
    }
  }

  SecretBytes secret() {
    return secret;
  }

  /// Throws `IllegalStateException` if the value is no text in UTF-8.
  public String text() {
    byte[] bytes = bytes();
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalStateException("the value was not sealed as a text");
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  /// A copy, for the caller to wipe.
  public byte[] bytes() {
    return secret.reveal(SecretAccess.granted());
  }

  @Override
  public void close() {
    secret.close();
  }

  @Override
  public String toString() {
    return "Plaintext[" + secret.length() + " bytes]";
  }
}
