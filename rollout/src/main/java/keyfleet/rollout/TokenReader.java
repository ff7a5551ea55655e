package keyfleet.rollout;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/// Splits a target's text into tokens, one at a time. A parenthesis belongs to a word only after a
/// prefix and only if it is closed there: `E@web(1|2)` is one word, `not(web*)` is four tokens.
final class TokenReader {
  private final String text;
  private int at;

  private StringBuilder letters = new StringBuilder();
  private List<Integer> places = new ArrayList<>();

  TokenReader(String text) {
    this.text = text;
  }

  static boolean readsAsOneWord(String text) {
    try {
      TokenReader reader = new TokenReader(text);
      Token first = reader.next();
      return first.kind() == Token.Kind.WORD
          && first.text().equals(text)
          && reader.next().kind() == Token.Kind.END;
    } catch (TargetFault fault) {
      return false;
    }
  }

  Token next() {
    while (at < text.length() && isSpace(text.charAt(at))) {
      at++;
    }
    if (at == text.length()) {
      return Token.mark(Token.Kind.END, "", at);
    }
    return switch (text.charAt(at)) {
      case '(' -> Token.mark(Token.Kind.OPEN, "(", at++);
      case ')' -> Token.mark(Token.Kind.CLOSE, ")", at++);
      default -> word();
    };
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
  }

  private Token word() {
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
      throw new TargetFault(open.getLast(), "unclosed ( inside a word: put the word in quotes");
    }
    if (letters.isEmpty()) {
      throw new TargetFault(start, "empty quotes");
    }
    boolean bare = letters.length() == at - start;
    return new Token(bare ? kind() : Token.Kind.WORD, letters.toString(), places, at);
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
    throw new TargetFault(start, "unclosed quote");
  }

  private Token.Kind kind() {
    return switch (letters.toString()) {
      case "and" -> Token.Kind.AND;
      case "or" -> Token.Kind.OR;
      case "not" -> Token.Kind.NOT;
      default -> Token.Kind.WORD;
    };
  }
}
