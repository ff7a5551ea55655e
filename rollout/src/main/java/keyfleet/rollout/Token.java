package keyfleet.rollout;

import java.util.List;

/// A word or a symbol of a target's text. `places` has the position of each character: quotes are
/// not part of `text`, so an offset in it is not a position.
record Token(Kind kind, String text, List<Integer> places, int end) {
  enum Kind {
    WORD,
    AND,
    OR,
    NOT,
    OPEN,
    CLOSE,
    END
  }

  Token {
    places = List.copyOf(places);
  }

  static Token mark(Kind kind, String text, int position) {
    return new Token(kind, text, List.of(position), position + text.length());
  }

  int position() {
    return positionOf(0);
  }

  int positionOf(int offset) {
    return offset < places.size() ? places.get(offset) : end;
  }
}
