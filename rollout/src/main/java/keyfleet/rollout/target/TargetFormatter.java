package keyfleet.rollout.target;

import java.util.List;
import java.util.stream.Collectors;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.target.Target.And;
import keyfleet.rollout.target.Target.Fact;
import keyfleet.rollout.target.Target.Glob;
import keyfleet.rollout.target.Target.Ids;
import keyfleet.rollout.target.Target.Not;
import keyfleet.rollout.target.Target.Or;
import keyfleet.rollout.target.Target.Regex;

/// Writes a target with no more parentheses and quotes than the parser needs.
final class TargetFormatter {
  private TargetFormatter() {}

  static String format(Target target) {
    return switch (target) {
      case Glob(var pattern) -> formatWord("", pattern.text());
      case Regex(var pattern) -> formatWord("E@", pattern.text());
      case Ids(var nodes) ->
          nodes.stream().map(NodeId::value).collect(Collectors.joining(",", "L@", ""));
      case Fact(var pattern) -> formatWord("G@", pattern.text());
      case And(var terms) -> join(terms, " and ");
      case Or(var terms) -> join(terms, " or ");
      case Not(var term) -> "not " + operand(term);
    };
  }

  private static String join(List<Target> terms, String operator) {
    boolean isOr = operator.equals(" or ");
    return terms.stream()
        .map(term -> isOr && term instanceof And ? term.toString() : operand(term))
        .collect(Collectors.joining(operator));
  }

  private static String operand(Target term) {
    return term instanceof And || term instanceof Or ? "(" + term + ")" : term.toString();
  }

  /// Quoted unless the tokenizer reads the bare text as this one word.
  private static String formatWord(String prefix, String text) {
    String bare = prefix + text;
    return TargetTokenizer.isOneWord(bare) ? bare : prefix + "'" + text.replace("'", "''") + "'";
  }
}
