package keyfleet.rollout.target;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import keyfleet.rollout.NodeId;

/// An expression that selects nodes. It applies to all enrolled nodes, not only to those online.
/// Its `toString` is the text of an equal target, with no more parentheses and quotes than
/// [TargetParser] needs.
public sealed interface Target {
  record Glob(GlobPattern pattern) implements Target {
    /// An `@` marks a prefix, and no node id contains one.
    public Glob {
      if (pattern.text().indexOf('@') >= 0) {
        throw new IllegalArgumentException("a glob over node ids must not contain @: " + pattern);
      }
    }

    public Glob(String text) {
      this(GlobPattern.caseSensitive(text));
    }

    @Override
    public String toString() {
      return formatWord("", pattern.text());
    }
  }

  record Regex(NodeIdRegex pattern) implements Target {
    public Regex(String text) {
      this(new NodeIdRegex(text));
    }

    @Override
    public String toString() {
      return formatWord("E@", pattern.text());
    }
  }

  /// In the order in which they were written; a repeated id counts once.
  record Ids(Set<NodeId> nodes) implements Target {
    public Ids {
      if (nodes.isEmpty()) {
        throw new IllegalArgumentException("a list of nodes must not be empty");
      }
      nodes = Collections.unmodifiableSet(new LinkedHashSet<>(nodes));
    }

    @Override
    public String toString() {
      return nodes.stream().map(NodeId::value).collect(Collectors.joining(",", "L@", ""));
    }
  }

  record Fact(FactPattern pattern) implements Target {
    public Fact(String text) {
      this(new FactPattern(text));
    }

    @Override
    public String toString() {
      return formatWord("G@", pattern.text());
    }
  }

  record And(List<Target> terms) implements Target {
    public And {
      terms = atLeastTwo(terms);
    }

    @Override
    public String toString() {
      return terms.stream().map(Target::operand).collect(Collectors.joining(" and "));
    }
  }

  record Or(List<Target> terms) implements Target {
    public Or {
      terms = atLeastTwo(terms);
    }

    @Override
    public String toString() {
      return terms.stream()
          .map(term -> term instanceof And ? term.toString() : operand(term))
          .collect(Collectors.joining(" or "));
    }
  }

  record Not(Target term) implements Target {
    @Override
    public String toString() {
      return "not " + operand(term);
    }
  }

  default TargetMatch matches(NodeId node, Facts facts) {
    return switch (this) {
      case Glob(var pattern) -> TargetMatch.of(pattern.matches(node.value()));
      case Regex(var pattern) -> TargetMatch.of(pattern.matches(node));
      case Ids(var nodes) -> TargetMatch.of(nodes.contains(node));
      case Fact(var pattern) -> pattern.matches(facts);
      case And(var terms) ->
          terms.stream()
              .map(term -> term.matches(node, facts))
              .reduce(TargetMatch.YES, TargetMatch::and);
      case Or(var terms) ->
          terms.stream()
              .map(term -> term.matches(node, facts))
              .reduce(TargetMatch.NO, TargetMatch::or);
      case Not(var term) -> term.matches(node, facts).not();
    };
  }

  private static String operand(Target term) {
    return term instanceof And || term instanceof Or ? "(" + term + ")" : term.toString();
  }

  /// Quoted unless the tokenizer reads the bare text as this one word.
  private static String formatWord(String prefix, String text) {
    String bare = prefix + text;
    return TargetTokenizer.isOneWord(bare) ? bare : prefix + "'" + text.replace("'", "''") + "'";
  }

  private static List<Target> atLeastTwo(List<Target> terms) {
    if (terms.size() < 2) {
      throw new IllegalArgumentException("an operator needs two terms or more, not " + terms);
    }
    return List.copyOf(terms);
  }
}
