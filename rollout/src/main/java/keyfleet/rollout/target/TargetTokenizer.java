package keyfleet.rollout.target;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/// Splits a target's text into tokens, one at a time. A parenthesis belongs to a word only after a
/// prefix and only if it is closed there: `E@web(1|2)` is one word, `not(web*)` is four tokens.
final class TargetTokenizer {
  private final String text;
  private int at;

  private StringBuilder letters = new StringBuilder();
  private List<Integer> places = new ArrayList<>();

  TargetTokenizer(String text) {
    this.text = text;
  }

  static boolean readsAsOneWord(String text) {
    try {
      TargetTokenizer reader = new TargetTokenizer(text);
      TargetToken first = reader.next();
      return first.kind() == TargetToken.Kind.WORD
          && first.text().equals(text)
          && reader.next().kind() == TargetToken.Kind.END;
    } catch (TargetSyntaxException fault) {
      return false;
    }
  }

  TargetToken next() {
    while (at < text.length() && isSpace(text.charAt(at))) {
      at++;
    }
    if (at == text.length()) {
      return TargetToken.mark(TargetToken.Kind.END, "", at);
    }
    return switch (text.charAt(at)) {
      case '(' -> TargetToken.mark(TargetToken.Kind.OPEN, "(", at++);
      case ')' -> TargetToken.mark(TargetToken.Kind.CLOSE, ")", at++);
      default -> word();
    };
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
  }

  private TargetToken word() {
    int start = at;
    letters = new StringBuilder();
    places = new ArrayList<>();
    Deque<Integer> open = new ArrayDeque<>();
    while (at < text.length() && belongs(text.charAt(at), open)) {
      if (text.charAt(at) == '\'') {
        quoted();
      } else {
        take();
      }
    }
    if (!open.isEmpty()) {
      throw new TargetSyntaxException(
          open.getLast(), "unclosed ( inside a word: put the word in quotes");
    }
    if (letters.isEmpty()) {
      throw new TargetSyntaxException(start, "empty quotes");
    }
    boolean bare = letters.length() == at - start;
    return new TargetToken(bare ? kind() : TargetToken.Kind.WORD, letters.toString(), places, at);
  }

  private boolean belongs(char c, Deque<Integer> open) {
    return switch (c) {
      case '(' -> letters.indexOf("@") >= 0 && open.offerFirst(at);
      case ')' -> open.pollFirst() != null;
      default -> !isSpace(c);
    };
  }

  private void take() {
    places.add(at);
    letters.append(text.charAt(at++));
  }

  /// Inside quotes all characters are literal; two quotes stand for one.
  private void quoted() {
    int start = at++;
    while (at < text.length()) {
      if (text.charAt(at) != '\'') {
        take();
      } else if (text.startsWith("''", at)) {
        at++;
        take();
      } else {
        at++;
        return;
      }
    }
    throw new TargetSyntaxException(start, "unclosed quote");
  }

  private TargetToken.Kind kind() {
    return switch (letters.toString()) {
      case "and" -> TargetToken.Kind.AND;
      case "or" -> TargetToken.Kind.OR;
      case "not" -> TargetToken.Kind.NOT;
      default -> TargetToken.Kind.WORD;
    };
  }
}
