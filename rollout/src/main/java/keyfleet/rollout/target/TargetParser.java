package keyfleet.rollout.target;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import keyfleet.rollout.NodeId;

/// Parses the target language by recursive descent; the grammar is in the package's description. A
/// text is a target or an error with its position, never an empty set.
public final class TargetParser {
  public static final int MAX_LENGTH = 4096;
  public static final int MAX_DEPTH = 64;

  private static final Set<String> PREFIXES = Set.of("E@", "L@", "G@");

  public sealed interface Result {}

  public record Parsed(Target target) implements Result {}

  /// The position counts the text's characters from 0.
  public record InvalidTarget(int position, String reason) implements Result {
    @Override
    public String toString() {
      return "at " + position + ": " + reason;
    }
  }

  private final TargetTokenizer tokenizer;
  private TargetToken token;
  private int depth;

  private TargetParser(String text) {
    this.tokenizer = new TargetTokenizer(text);
    this.token = tokenizer.next();
  }

  public static Result parse(String text) {
    try {
      checkText(text);
      Target target = new TargetParser(text).parseAll();
      if (target.toString().length() > MAX_LENGTH) {
        throw new TargetSyntaxException(
            0, "written in full, the target has more than " + MAX_LENGTH + " characters");
      }
      return new Parsed(target);
    } catch (TargetSyntaxException e) {
      return new InvalidTarget(e.offset(), e.reason());
    }
  }

  /// A lone surrogate has no UTF-8 encoding, and two targets would share one plan hash.
  private static void checkText(String text) {
    if (text.length() > MAX_LENGTH) {
      throw new TargetSyntaxException(
          MAX_LENGTH, "a target has at most " + MAX_LENGTH + " characters");
    }
    for (int at = 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
      if (Character.getType(text.codePointAt(at)) == Character.SURROGATE) {
        throw new TargetSyntaxException(at, "half a character (lone surrogate)");
      }
    }
  }

  private Target parseAll() {
    if (token.kind() == TargetToken.Kind.END) {
      throw new TargetSyntaxException(0, "empty target");
    }
    Target target = parseOr();
    return switch (token.kind()) {
      case END -> target;
      case CLOSE -> throw new TargetSyntaxException(token.position(), "unmatched )");
      case WORD, NOT, OPEN, AND, OR -> throw missingOperator();
    };
  }

  private TargetSyntaxException missingOperator() {
    return new TargetSyntaxException(
        token.position(), "missing operator (and, or) before " + token.text());
  }

  private Target parseOr() {
    List<Target> terms = new ArrayList<>(List.of(parseAnd()));
    while (token.kind() == TargetToken.Kind.OR) {
      advance();
      terms.add(parseAnd());
    }
    return terms.size() == 1 ? terms.getFirst() : new Target.Or(terms);
  }

  private Target parseAnd() {
    List<Target> terms = new ArrayList<>(List.of(parseUnary()));
    while (token.kind() == TargetToken.Kind.AND) {
      advance();
      terms.add(parseUnary());
    }
    return terms.size() == 1 ? terms.getFirst() : new Target.And(terms);
  }

  private Target parseUnary() {
    if (depth == MAX_DEPTH) {
      throw new TargetSyntaxException(token.position(), "nested deeper than " + MAX_DEPTH);
    }
    depth++;
    Target target =
        switch (token.kind()) {
          case NOT -> parseNot();
          case OPEN -> parseGroup();
          case WORD -> parseOperand();
          case END ->
              throw new TargetSyntaxException(token.position(), "expected a target, found the end");
          case AND, OR, CLOSE ->
              throw new TargetSyntaxException(
                  token.position(), "expected a target, found " + token.text());
        };
    depth--;
    return target;
  }

  private Target parseNot() {
    advance();
    return new Target.Not(parseUnary());
  }

  private Target parseGroup() {
    int open = token.position();
    advance();
    Target target = parseOr();
    switch (token.kind()) {
      case CLOSE -> advance();
      case END -> throw new TargetSyntaxException(open, "unclosed (");
      case WORD, NOT, OPEN, AND, OR -> throw missingOperator();
    }
    return target;
  }

  private Target parseOperand() {
    TargetToken word = token;
    Target target;
    try {
      target = parseWord(word.text());
    } catch (TargetSyntaxException e) {
      throw new TargetSyntaxException(word.positionOf(e.offset()), e.reason());
    }
    advance();
    return target;
  }

  private static Target parseWord(String word) {
    int start = word.indexOf('@') + 1;
    String prefix = word.substring(0, start);
    if (!prefix.isEmpty() && !PREFIXES.contains(prefix)) {
      throw new TargetSyntaxException(0, "unknown prefix " + prefix + ": use E@, L@ or G@");
    }
    try {
      return parseWord(prefix, word.substring(start));
    } catch (TargetSyntaxException e) {
      throw new TargetSyntaxException(start + e.offset(), e.reason());
    }
  }

  private static Target parseWord(String prefix, String text) {
    return switch (prefix) {
      case "E@" -> new Target.Regex(text);
      case "L@" -> parseIds(text);
      case "G@" -> new Target.Fact(text);
      default -> new Target.Glob(text);
    };
  }

  private static Target parseIds(String text) {
    Set<NodeId> nodes = new LinkedHashSet<>();
    int start = 0;
    for (String id : text.split(",", -1)) {
      if (!NodeId.isValid(id)) {
        throw new TargetSyntaxException(
            start, id.isEmpty() ? "empty node id" : "not a node id: " + id);
      }
      nodes.add(new NodeId(id));
      start += id.length() + 1;
    }
    return new Target.Ids(nodes);
  }

  private void advance() {
    token = tokenizer.next();
  }
}
