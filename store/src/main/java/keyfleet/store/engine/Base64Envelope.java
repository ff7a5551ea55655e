package keyfleet.store.engine;

import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.KekVersion;

/// Reads the version of an envelope that is stored as base64 text.
public final class Base64Envelope {
  /// The magic bytes; the last digit also contains the first bits of the format, which are zero.
  public static final String PREFIX = "60tGRQ";

  /// Base64 digits that encode magic, format, suite, version and the length of the wrapped DEK.
  public static final int HEADER_LENGTH = 16;

  /// The shortest envelope has 93 bytes.
  public static final int MIN_LENGTH = 124;

  private static final int MAX_BYTES_BEFORE_DATA = 12 + Envelope.MAX_WRAPPED_DEK + 80;

  private Base64Envelope() {}

  /// The version of a whole text that begins with [#PREFIX].
  public static Optional<KekVersion> version(String text) {
    return text.length() < MIN_LENGTH
        ? Optional.empty()
        : versionOfHeader(text.substring(0, HEADER_LENGTH));
  }

  /// The version in the first [#HEADER_LENGTH] digits. Empty if they are not base64 or do not begin
  /// an envelope.
  public static Optional<KekVersion> versionOfHeader(String header) {
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(header.replace('+', '-').replace('/', '_'));
      return Envelope.parse(Arrays.copyOf(bytes, MAX_BYTES_BEFORE_DATA)).map(Envelope::version);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
