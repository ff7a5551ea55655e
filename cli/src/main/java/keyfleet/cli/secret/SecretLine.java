package keyfleet.cli.secret;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.SecretBytes;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/// A line of `secret import`: `{"name":…,"value":…}`. The value is never a string.
final class SecretLine implements AutoCloseable {
  /// Why a line is refused; never with any of its content.
  static final class InvalidLineException extends Exception {
    private static final long serialVersionUID = 1L;

    InvalidLineException(String reason) {
      super(reason);
    }

    String reason() {
      return String.valueOf(getMessage());
    }
  }

  private static final JsonFactory JSON = new JsonFactory();

  private final long number;
  private final SecretName name;
  private final SecretBytes value;

  private SecretLine(long number, SecretName name, SecretBytes value) {
    this.number = number;
    this.name = name;
    this.value = value;
  }

  /// The number of the line, from 1.
  long number() {
    return number;
  }

  SecretName name() {
    return name;
  }

  SecretBytes value() {
    return value;
  }

  static SecretLine parse(long number, byte[] line, int length) throws InvalidLineException {
    String name = null;
    SecretBytes value = null;
    boolean isComplete = false;
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), line, 0, length)) {
      require(parser.nextToken() == JsonToken.START_OBJECT, "it is not a JSON object");
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String field = parser.currentName();
        require(parser.nextToken() == JsonToken.VALUE_STRING, "a field is not a string");
        if (field.equals("name") && name == null) {
          name = parser.getString();
        } else if (field.equals("value") && value == null) {
          value = readValue(parser);
        } else {
          throw new InvalidLineException("it has other fields than one name and one value");
        }
      }
      require(parser.nextToken() == null, "text follows the JSON object");
      isComplete = true;
    } catch (JacksonException e) {
      throw new InvalidLineException("it is not JSON"); // the message may quote the line
    } finally {
      if (!isComplete && value != null) {
        value.close();
      }
    }
    return of(number, name, value);
  }

  private static SecretLine of(long number, @Nullable String name, @Nullable SecretBytes value)
      throws InvalidLineException {
    if (name != null && value != null && SecretName.isValid(name)) {
      return new SecretLine(number, new SecretName(name), value);
    }
    if (value != null) {
      value.close();
    }
    throw new InvalidLineException(
        name == null
            ? "it has no name"
            : value == null
                ? "it has no value"
                : "its name is not a secret name; " + SecretName.RULE_TEXT);
  }

  private static SecretBytes readValue(JsonParser parser) throws InvalidLineException {
    char[] buffer = parser.getStringCharacters();
    int offset = parser.getStringOffset();
    int length = parser.getStringLength();
    try {
      byte[] bytes = encode(CharBuffer.wrap(buffer, offset, length));
      try {
        require(bytes.length > 0, "its value is empty");
        require(
            bytes.length <= Envelope.MAX_PLAINTEXT,
            "its value has more than " + Envelope.MAX_PLAINTEXT + " bytes");
        return SecretBytes.copyOf(bytes);
      } finally {
        Arrays.fill(bytes, (byte) 0);
      }
    } catch (CharacterCodingException e) {
      throw new InvalidLineException("its value has an unpaired surrogate");
    } finally {
      Arrays.fill(buffer, offset, offset + length, '\0');
    }
  }

  /// As UTF-8, and without a copy that is not wiped.
  private static byte[] encode(CharBuffer text) throws CharacterCodingException {
    byte[] room = new byte[3 * text.remaining()];
    try {
      ByteBuffer encoded = ByteBuffer.wrap(room);
      CoderResult result = StandardCharsets.UTF_8.newEncoder().encode(text, encoded, true);
      if (result.isError()) {
        result.throwException();
      }
      return Arrays.copyOf(room, encoded.position());
    } finally {
      Arrays.fill(room, (byte) 0);
    }
  }

  private static void require(boolean condition, String reason) throws InvalidLineException {
    if (!condition) {
      throw new InvalidLineException(reason);
    }
  }

  @Override
  public void close() {
    value.close();
  }
}
