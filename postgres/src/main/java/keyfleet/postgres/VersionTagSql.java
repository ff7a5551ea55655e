package keyfleet.postgres;

import java.util.HexFormat;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.KekVersion;

/// SQL for the version tag inside a sealed column. The expression uses only built-in functions:
/// otherwise a role that may replace a function of ours could change the result for old records.
///
/// A tag is the four bytes of the KEK version as in the envelope; they sort like the numbers.
/// `NULL` means that the column is null or not an envelope. Only the head is read, so the server
/// does not load a long value.
final class VersionTagSql {
  /// Magic, format, suite.
  private static final String HEADER_START = "eb4b46450101";

  private static final int HEADER_BYTES = 12;

  /// The bytes that sealing adds to the plaintext.
  private static final int SEALED_OVERHEAD = 80;

  private static final int MAX_BYTES =
      HEADER_BYTES + Envelope.MAX_WRAPPED_DEK + SEALED_OVERHEAD + Envelope.MAX_PLAINTEXT;

  private VersionTagSql() {}

  /// The tag of `column`, an expression that is quoted already.
  static String tagOf(String column) {
    return """
    CASE WHEN octet_length({x}) BETWEEN {min} AND {max} THEN
      CASE WHEN substring({x} FROM 1 FOR 6) = {start}
        AND {version} BETWEEN {first} AND {last}
        AND {wrapped} BETWEEN {one} AND {most}
        AND octet_length({x}) >= {rest} + get_byte({wrapped}, 0) * 256 + get_byte({wrapped}, 1)
      THEN {version} END END
    """
        .replace("{version}", "substring({x} FROM " + (Envelope.VERSION_OFFSET + 1) + " FOR 4)")
        .replace("{wrapped}", "substring({x} FROM 11 FOR 2)")
        .replace("{min}", Integer.toString(HEADER_BYTES + 1 + SEALED_OVERHEAD))
        .replace("{max}", Integer.toString(MAX_BYTES))
        .replace("{rest}", Integer.toString(HEADER_BYTES + SEALED_OVERHEAD))
        .replace("{start}", bytesLiteral(HEADER_START))
        .replace("{first}", bytesLiteral("00000001"))
        .replace("{last}", bytesLiteral("7fffffff"))
        .replace("{one}", bytesLiteral("0001"))
        .replace("{most}", bytesLiteral("%04x".formatted(Envelope.MAX_WRAPPED_DEK)))
        .replace("{x}", column);
  }

  /// The condition that the column holds a value that is not an envelope.
  static String unreadableCondition(String column) {
    return "(%s IS NOT NULL AND (%s) IS NULL)".formatted(column, tagOf(column));
  }

  static String literal(KekVersion version) {
    return bytesLiteral("%08x".formatted(version.number()));
  }

  static KekVersion toVersion(byte[] tag) {
    return new KekVersion(HexFormat.fromHexDigits(HexFormat.of().formatHex(tag)));
  }

  /// Every session reads `decode(…)` alike; an escaped literal depends on a setting.
  private static String bytesLiteral(String digits) {
    return "decode('" + digits + "', 'hex')";
  }
}
