package keyfleet.it.architecture;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreeScanner;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Calls that reach a store or a provider, and whether they stand where a test can stop them: in
/// the effect of `at(Failpoint.X, effect)`.
///
/// Types are not known here, so a call counts by the name it is made on: one that the file declares
/// with such a type, as a field, parameter, local or method.
final class FailpointCoverage {
  private static final String MODULE = "control";

  /// The ports, and what the rooms below put before them.
  private static final Set<String> PORTS =
      Set.of("Kv", "Records", "KekProvider", "Keystores", "Rosters", "Registry");

  private final SourceFile file;
  private final Set<String> names = new HashSet<>();
  private final Set<String> points = new HashSet<>();
  private final Set<RuleViolation> ruleViolations = new LinkedHashSet<>();

  private FailpointCoverage(SourceFile file) {
    this.file = file;
  }

  static Stream<RuleViolation> check(SourceFile file) {
    if (!file.isMain() || !file.module().equals(MODULE)) {
      return Stream.empty();
    }
    FailpointCoverage failpointCoverage = new FailpointCoverage(file);
    for (ClassTree type : file.types()) {
      failpointCoverage.new Declarations().scan(type, null);
    }
    for (ClassTree type : file.types()) {
      failpointCoverage.new Calls().scan(type, null);
    }
    return failpointCoverage.ruleViolations.stream();
  }

  private static boolean isPort(@Nullable Tree type) {
    return type != null && Stream.of(type.toString().split("\\W+")).anyMatch(PORTS::contains);
  }

  private final class Declarations extends TreeScanner<@Nullable Void, @Nullable Void> {
    @Override
    public @Nullable Void visitVariable(VariableTree variable, @Nullable Void unused) {
      if (isPort(variable.getType())) {
        names.add(variable.getName().toString());
      }
      if ("Failpoint".equals(String.valueOf(variable.getType()))) {
        points.add(variable.getName().toString());
      }
      return super.visitVariable(variable, null);
    }

    @Override
    public @Nullable Void visitMethod(MethodTree method, @Nullable Void unused) {
      if (isPort(method.getReturnType())) {
        names.add(method.getName().toString());
      }
      return super.visitMethod(method, null);
    }
  }

  private final class Calls extends TreeScanner<@Nullable Void, @Nullable Void> {
    @Override
    public @Nullable Void visitMethodInvocation(MethodInvocationTree call, @Nullable Void unused) {
      if (isFailpoint(call)) {
        scan(call.getMethodSelect(), null);
        return scan(beforeTheEffect(call.getArguments().getLast()), null);
      }
      if (call.getMethodSelect() instanceof MemberSelectTree select) {
        check(select.getExpression(), call);
      }
      return super.visitMethodInvocation(call, null);
    }

    @Override
    public @Nullable Void visitMemberReference(MemberReferenceTree method, @Nullable Void unused) {
      check(method.getQualifierExpression(), method);
      return super.visitMemberReference(method, null);
    }

    /// What of the argument happens at once: nothing of a lambda, what a method reference is on.
    private @Nullable Tree beforeTheEffect(ExpressionTree effect) {
      return switch (effect) {
        case LambdaExpressionTree _ -> null;
        case MemberReferenceTree method -> method.getQualifierExpression();
        default -> effect;
      };
    }

    private void check(ExpressionTree on, Tree use) {
      if (leadsTo(on)) {
        ruleViolations.add(
            file.violation(use, "an effect outside at(Failpoint.…), where no test can stop it"));
      }
    }

    /// `kv`, `this.kv`, `ties.kv()`, and what is chained to these: `open(it).orElseThrow()`.
    private boolean leadsTo(ExpressionTree expression) {
      return switch (expression) {
        case IdentifierTree name -> names.contains(name.getName().toString());
        case MemberSelectTree select -> names.contains(select.getIdentifier().toString());
        case MethodInvocationTree inner -> leadsTo(inner.getMethodSelect()) || isChained(inner);
        default -> false;
      };
    }

    private boolean isChained(MethodInvocationTree call) {
      return call.getMethodSelect() instanceof MemberSelectTree select
          && select.getIdentifier().toString().matches("get|orElse.*")
          && leadsTo(select.getExpression());
    }
  }

  /// A constant, or what the file declares as one.
  private boolean isFailpoint(MethodInvocationTree call) {
    String name = SourceFile.dotted(call.getMethodSelect()).orElse("");
    return (name.equals("at") || name.endsWith(".at"))
        && call.getArguments().size() == 2
        && isPoint(call.getArguments().getFirst().toString());
  }

  private boolean isPoint(String argument) {
    return argument.startsWith("Failpoint.") || points.contains(argument);
  }
}
