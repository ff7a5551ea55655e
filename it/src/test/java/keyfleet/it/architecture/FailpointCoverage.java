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

/// Checks that every call to a store or a provider is the effect of `at(Failpoint.X, effect)`,
/// where a test can stop it.
///
/// The sources are not attributed, so a call counts by the name it is made on: a field, parameter,
/// local or method that the file declares with the type of a port.
final class FailpointCoverage {
  private static final String MODULE = "control";

  /// The ports, and the types of lower modules that call them.
  private static final Set<String> PORTS =
      Set.of("Kv", "Records", "KekProvider", "KeystoreStore", "RosterStore", "CollectionRegistry");

  private final SourceFile file;
  private final Set<String> names = new HashSet<>();
  private final Set<String> points = new HashSet<>();
  private final Set<RuleViolation> violations = new LinkedHashSet<>();

  private FailpointCoverage(SourceFile file) {
    this.file = file;
  }

  static Stream<RuleViolation> check(SourceFile file) {
    if (!file.isMain() || !file.module().equals(MODULE)) {
      return Stream.empty();
    }
    FailpointCoverage coverage = new FailpointCoverage(file);
    for (ClassTree type : file.types()) {
      coverage.new Declarations().scan(type, null);
    }
    for (ClassTree type : file.types()) {
      coverage.new Calls().scan(type, null);
    }
    return coverage.violations.stream();
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
        return scan(evaluatedAtOnce(call.getArguments().getLast()), null);
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

    /// The part of the argument that is evaluated at once: not the body of a lambda, but the
    /// receiver of a method reference.
    private @Nullable Tree evaluatedAtOnce(ExpressionTree effect) {
      return switch (effect) {
        case LambdaExpressionTree _ -> null;
        case MemberReferenceTree method -> method.getQualifierExpression();
        default -> effect;
      };
    }

    private void check(ExpressionTree on, Tree use) {
      if (isPortCall(on)) {
        violations.add(
            file.violation(
                use, "an effect outside at(Failpoint.…, …); no test can stop the process there"));
      }
    }

    /// `kv`, `this.kv`, `ports.kv()`, and calls chained to these: `open(it).orElseThrow()`.
    private boolean isPortCall(ExpressionTree expression) {
      return switch (expression) {
        case IdentifierTree name -> names.contains(name.getName().toString());
        case MemberSelectTree select -> names.contains(select.getIdentifier().toString());
        case MethodInvocationTree inner -> isPortCall(inner.getMethodSelect()) || isChained(inner);
        default -> false;
      };
    }

    private boolean isChained(MethodInvocationTree call) {
      return call.getMethodSelect() instanceof MemberSelectTree select
          && select.getIdentifier().toString().matches("get|orElse.*")
          && isPortCall(select.getExpression());
    }
  }

  /// Whether the first argument is a constant of `Failpoint`, or a variable of that type.
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
