package keyfleet.member.document;

import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.Sentinel;
import keyfleet.keyring.Timings;
import keyfleet.store.Document;

/// Converts small values to and from fields of documents. A value that cannot be parsed is an
/// `IllegalArgumentException`, which [Document#as] turns into a malformed document.
final class FieldCodec {
  private FieldCodec() {}

  /// `DECRYPT_ONLY` becomes `decrypt-only`. The words are stored, so the names of these constants
  /// must not change.
  static String toWord(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static <E extends Enum<E>> E parseConstant(Class<E> type, String word) {
    if (!word.equals(word.toLowerCase(Locale.ROOT))) {
      throw new IllegalArgumentException("not a " + type.getSimpleName() + ": " + word);
    }
    return Enum.valueOf(type, word.toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  static KekVersion parseVersion(long number) {
    return new KekVersion(toInt(number));
  }

  static int toInt(long number) {
    if (number != (int) number) {
      throw new IllegalArgumentException("the number is too large: " + number);
    }
    return (int) number;
  }

  static KekVersion parseVersion(String digits) {
    return KekVersion.parse(digits)
        .orElseThrow(() -> new IllegalArgumentException("not a KEK version: " + digits));
  }

  static String encodeSentinel(Sentinel sentinel) {
    return Base64.getEncoder().encodeToString(sentinel.envelope().toBytes());
  }

  static Sentinel parseSentinel(KekVersion version, String base64) {
    Envelope envelope =
        Envelope.parse(Base64.getDecoder().decode(base64))
            .orElseThrow(() -> new IllegalArgumentException("the sentinel is not an envelope"));
    return new Sentinel(version, envelope);
  }

  static Document encodeTimings(Timings timings) {
    return Document.builder()
        .number("heartbeat_ms", timings.heartbeat().toMillis())
        .number("fresh_ms", timings.fresh().toMillis())
        .number("lease_ms", timings.lease().toMillis())
        .number("expire_ms", timings.expire().toMillis())
        .number("adopt_ms", timings.adopt().toMillis())
        .build();
  }

  static Timings parseTimings(Document document) {
    return new Timings(
        millis(document, "heartbeat_ms"),
        millis(document, "fresh_ms"),
        millis(document, "lease_ms"),
        millis(document, "expire_ms"),
        millis(document, "adopt_ms"));
  }

  private static Duration millis(Document document, String name) {
    return Duration.ofMillis(document.number(name));
  }
}
