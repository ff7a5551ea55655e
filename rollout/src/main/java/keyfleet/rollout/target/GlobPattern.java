package keyfleet.rollout.target;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// A glob over a whole text: `*` any characters (dots and slashes too), `?` one character, `[seq]`
/// one of them, `[!seq]` one of the others. Forms that other tools interpret differently are
/// refused: an unclosed `[`, a reversed range, and `[^seq]`, which negates in Go and does not in
/// Python.
public final class GlobPattern {
  private enum CaseMode {
    SENSITIVE,
    IGNORED
  }

  private enum Kind {
    STAR,
    ANY,
    ONE_OF,
    NONE_OF
  }

  private record Range(int low, int high) {}

  private record Piece(Kind kind, List<Range> ranges) {
    static Piece of(Kind kind) {
      return new Piece(kind, List.of());
    }

    static Piece literal(int character) {
      return new Piece(Kind.ONE_OF, List.of(new Range(character, character)));
    }

    boolean matches(int character) {
      return switch (kind) {
        case STAR -> false;
        case ANY -> true;
        case ONE_OF -> isInRanges(character);
        case NONE_OF -> !isInRanges(character);
      };
    }

    private boolean isInRanges(int character) {
      return ranges.stream().anyMatch(r -> r.low() <= character && character <= r.high());
    }
  }

  private final String text;
  private final CaseMode caseMode;
  private final List<Piece> pieces;

  private GlobPattern(String text, CaseMode caseMode) {
    if (text.isEmpty()) {
      throw new TargetSyntaxException(0, "empty pattern");
    }
    this.text = text;
    this.caseMode = caseMode;
    this.pieces = parse(caseMode == CaseMode.IGNORED ? foldCase(text) : text);
  }

  public static GlobPattern caseSensitive(String text) {
    return new GlobPattern(text, CaseMode.SENSITIVE);
  }

  public static GlobPattern caseInsensitive(String text) {
    return new GlobPattern(text, CaseMode.IGNORED);
  }

  static boolean isSpecial(int character) {
    return character == '*' || character == '?' || character == '[' || character == ']';
  }

  private static List<Piece> parse(String text) {
    List<Piece> pieces = new ArrayList<>();
    int at = 0;
    while (at < text.length()) {
      int character = text.codePointAt(at);
      int end = character == '[' ? closingBracket(text, at) : at;
      pieces.add(
          switch (character) {
            case '*' -> Piece.of(Kind.STAR);
            case '?' -> Piece.of(Kind.ANY);
            case '[' -> parseSet(text, at + 1, end);
            default -> Piece.literal(character);
          });
      at = character == '[' ? end + 1 : at + Character.charCount(character);
    }
    return List.copyOf(pieces);
  }

  /// A `]` in first position is a member, so that a set can contain it.
  private static int closingBracket(String text, int open) {
    if (text.startsWith("^", open + 1)) {
      throw new TargetSyntaxException(open + 1, "[^ is ambiguous: write [! to exclude");
    }
    int first = text.startsWith("!", open + 1) ? open + 2 : open + 1;
    int end = text.indexOf(']', first + 1);
    if (end < 0) {
      throw new TargetSyntaxException(open, "unclosed [");
    }
    return end;
  }

  private static Piece parseSet(String text, int start, int end) {
    Kind kind = text.charAt(start) == '!' ? Kind.NONE_OF : Kind.ONE_OF;
    List<Range> ranges = new ArrayList<>();
    int at = kind == Kind.NONE_OF ? start + 1 : start;
    while (at < end) {
      int low = text.codePointAt(at);
      int dash = at + Character.charCount(low);
      boolean isRange = dash + 1 < end && text.charAt(dash) == '-';
      int high = isRange ? text.codePointAt(dash + 1) : low;
      if (high < low) {
        throw new TargetSyntaxException(at, "reversed range");
      }
      ranges.add(new Range(low, high));
      at = isRange ? dash + 1 + Character.charCount(high) : dash;
    }
    return new Piece(kind, List.copyOf(ranges));
  }

  /// One character for one, so that offsets do not change.
  private static String foldCase(String text) {
    StringBuilder out = new StringBuilder(text.length());
    foldedCodePoints(text).forEach(out::appendCodePoint);
    return out.toString();
  }

  private static IntStream foldedCodePoints(String text) {
    return text.codePoints().map(c -> Character.toLowerCase(Character.toUpperCase(c)));
  }

  /// Backtracks to the latest star only, so the time is at most the product of the two lengths.
  public boolean matches(String subject) {
    int[] in =
        (caseMode == CaseMode.IGNORED ? foldedCodePoints(subject) : subject.codePoints()).toArray();
    int piece = 0;
    int at = 0;
    int afterStar = -1;
    int resume = 0;
    while (at < in.length) {
      if (piece < pieces.size() && pieces.get(piece).matches(in[at])) {
        piece++;
        at++;
      } else if (isStar(piece)) {
        afterStar = ++piece;
        resume = at;
      } else if (afterStar >= 0) {
        piece = afterStar;
        at = ++resume;
      } else {
        return false;
      }
    }
    while (isStar(piece)) {
      piece++;
    }
    return piece == pieces.size();
  }

  private boolean isStar(int piece) {
    return piece < pieces.size() && pieces.get(piece).kind() == Kind.STAR;
  }

  boolean isMatchAll() {
    return pieces.stream().allMatch(piece -> piece.kind() == Kind.STAR);
  }

  public String text() {
    return text;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof GlobPattern that && text.equals(that.text) && caseMode == that.caseMode;
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
