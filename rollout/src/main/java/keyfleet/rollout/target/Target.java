package keyfleet.rollout.target;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import keyfleet.rollout.NodeId;

/// An expression that selects nodes. It applies to all enrolled nodes, not only to those online.
/// Its `toString` is the text of an equal target; [TargetParser] parses it.
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
      return TargetFormatter.format(this);
    }
  }

  record Regex(NodeIdRegex pattern) implements Target {
    public Regex(String text) {
      this(new NodeIdRegex(text));
    }

    @Override
    public String toString() {
      return TargetFormatter.format(this);
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
      return TargetFormatter.format(this);
    }
  }

  record Fact(FactPattern pattern) implements Target {
    public Fact(String text) {
      this(new FactPattern(text));
    }

    @Override
    public String toString() {
      return TargetFormatter.format(this);
    }
  }

  record And(List<Target> terms) implements Target {
    public And {
      terms = atLeastTwo(terms);
    }

    @Override
    public String toString() {
      return TargetFormatter.format(this);
    }
  }

  record Or(List<Target> terms) implements Target {
    public Or {
      terms = atLeastTwo(terms);
    }

    @Override
    public String toString() {
      return TargetFormatter.format(this);
    }
  }

  record Not(Target term) implements Target {
    @Override
    public String toString() {
      return TargetFormatter.format(this);
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

  private static List<Target> atLeastTwo(List<Target> terms) {
    if (terms.size() < 2) {
      throw new IllegalArgumentException("an operator needs two terms or more, not " + terms);
    }
    return List.copyOf(terms);
  }
}
