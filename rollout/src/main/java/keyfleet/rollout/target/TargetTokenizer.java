package keyfleet.rollout.target;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/// Splits a target's text into tokens, one at a time. A parenthesis belongs to a word only after a
/// prefix and only if it is closed there: `E@web(1|2)` is one word, `not(web*)` is four tokens.
final class TargetTokenizer {
  private final String text;
  private int position;

  private StringBuilder word = new StringBuilder();
  private List<Integer> positions = new ArrayList<>();

  TargetTokenizer(String text) {
    this.text = text;
  }

  static boolean isOneWord(String text) {
    try {
      TargetTokenizer tokenizer = new TargetTokenizer(text);
      TargetToken first = tokenizer.next();
      return first.kind() == TargetToken.Kind.WORD
          && first.text().equals(text)
          && tokenizer.next().kind() == TargetToken.Kind.END;
    } catch (TargetSyntaxException e) {
      return false;
    }
  }

  TargetToken next() {
    while (position < text.length() && isSpace(text.charAt(position))) {
      position++;
    }
    if (position == text.length()) {
      return TargetToken.symbol(TargetToken.Kind.END, "", position);
    }
    return switch (text.charAt(position)) {
      case '(' -> TargetToken.symbol(TargetToken.Kind.OPEN, "(", position++);
      case ')' -> TargetToken.symbol(TargetToken.Kind.CLOSE, ")", position++);
      default -> readWord();
    };
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
  }

  private TargetToken readWord() {
    int start = position;
    word = new StringBuilder();
    positions = new ArrayList<>();
    Deque<Integer> open = new ArrayDeque<>();
    while (position < text.length() && isPartOfWord(text.charAt(position), open)) {
      if (text.charAt(position) == '\'') {
        readQuoted();
      } else {
        readCharacter();
      }
    }
    if (!open.isEmpty()) {
      throw new TargetSyntaxException(
          open.getLast(), "unclosed ( inside a word: put the word in quotes");
    }
    if (word.isEmpty()) {
      throw new TargetSyntaxException(start, "empty quotes");
    }
    boolean bare = word.length() == position - start;
    return new TargetToken(
        bare ? wordKind() : TargetToken.Kind.WORD, word.toString(), positions, position);
  }

  private boolean isPartOfWord(char c, Deque<Integer> open) {
    return switch (c) {
      case '(' -> word.indexOf("@") >= 0 && open.offerFirst(position);
      case ')' -> open.pollFirst() != null;
      default -> !isSpace(c);
    };
  }

  private void readCharacter() {
    positions.add(position);
    word.append(text.charAt(position++));
  }

  /// Inside quotes all characters are literal; two quotes stand for one.
  private void readQuoted() {
    int start = position++;
    while (position < text.length()) {
      if (text.charAt(position) != '\'') {
        readCharacter();
      } else if (text.startsWith("''", position)) {
        position++;
        readCharacter();
      } else {
        position++;
        return;
      }
    }
    throw new TargetSyntaxException(start, "unclosed quote");
  }

  private TargetToken.Kind wordKind() {
    return switch (word.toString()) {
      case "and" -> TargetToken.Kind.AND;
      case "or" -> TargetToken.Kind.OR;
      case "not" -> TargetToken.Kind.NOT;
      default -> TargetToken.Kind.WORD;
    };
  }
}
