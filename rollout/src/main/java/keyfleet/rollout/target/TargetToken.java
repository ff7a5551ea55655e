package keyfleet.rollout.target;

import java.util.List;

/// A word or a symbol of a target's text. `positions` has the position of each character: quotes
/// are not part of `text`, so an offset in it is not a position.
record TargetToken(Kind kind, String text, List<Integer> positions, int end) {
  enum Kind {
    WORD,
    AND,
    OR,
    NOT,
    OPEN,
    CLOSE,
    END
  }

  TargetToken {
    positions = List.copyOf(positions);
  }

  static TargetToken symbol(Kind kind, String text, int position) {
    return new TargetToken(kind, text, List.of(position), position + text.length());
  }

  int position() {
    return positionOf(0);
  }

  int positionOf(int offset) {
    return offset < positions.size() ? positions.get(offset) : end;
  }
}
