package keyfleet.member;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import keyfleet.crypto.SecretAccess;
import keyfleet.crypto.SecretBytes;

/// A value before it is sealed or after it was opened. Closing wipes it, and its text form never
/// shows it.
public final class Plaintext implements AutoCloseable {
  /// The most bytes that a UTF-16 unit needs in UTF-8.
  private static final int MOST_BYTES = 3;

  private final SecretBytes secret;

  private Plaintext(SecretBytes secret) {
    this.secret = secret;
  }

  /// Takes ownership of `secret`: closing this value closes it.
  static Plaintext owning(SecretBytes secret) {
    return new Plaintext(secret);
  }

  public static Plaintext of(byte[] bytes) {
    return new Plaintext(SecretBytes.copyOf(bytes));
  }

  /// Refuses half a surrogate pair, which would be stored as a question mark.
  public static Plaintext of(String text) {
    byte[] buffer = new byte[text.length() * MOST_BYTES];
    ByteBuffer encoded = ByteBuffer.wrap(buffer);
    boolean wellFormed =
        UTF_8.newEncoder().encode(CharBuffer.wrap(text), encoded, true).isUnderflow();
    byte[] bytes = Arrays.copyOf(buffer, encoded.position());
    try {
      if (!wellFormed) {
        throw new IllegalArgumentException("the text to seal is not well-formed UTF-16");
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

  /// Throws `IllegalStateException` if the value is not UTF-8 text.
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

  /// Returns a copy. The caller wipes it.
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
