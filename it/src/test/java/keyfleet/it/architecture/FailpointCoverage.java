package keyfleet.it.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.conditions.ArchConditions.accessTargetWhere;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaMethodReference;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import java.util.Set;

/// Tells whether a call to a store or a provider is the effect of `at(point, effect)`, where a test
/// can stop it.
///
/// ArchUnit knows that a call stands in a lambda, but not what the lambda is passed to. Therefore
/// the lambda, or the method reference, must stand beside a call of `at`: on its line, or on one of
/// the three below.
final class FailpointCoverage {
  private static final int LINES = 3;

  /// The ports, and the types of lower modules that call them.
  private static final Set<String> PORTS =
      Set.of(
          "keyfleet.store.Kv",
          "keyfleet.store.Records",
          "keyfleet.store.ConditionalWrite",
          "keyfleet.providers.KekProvider",
          "keyfleet.member.document.KeystoreStore",
          "keyfleet.member.document.RosterStore",
          "keyfleet.member.document.CollectionRegistry");

  private FailpointCoverage() {}

  static ArchCondition<JavaClass> haveAnEffectOutside() {
    return accessTargetWhere(
        describe(
            "is an effect outside at(Failpoint.…, …), where no test can stop it",
            access -> isEffect(access) && !isAtFailpoint(access)));
  }

  private static boolean isEffect(JavaAccess<?> access) {
    return PORTS.contains(access.getTargetOwner().getName())
        && (access instanceof JavaMethodCall || access instanceof JavaMethodReference)
        && !access.getTarget().resolveMember().filter(FailpointCoverage::isStatic).isPresent();
  }

  private static boolean isStatic(JavaMember member) {
    return member.getModifiers().contains(JavaModifier.STATIC);
  }

  private static boolean isAtFailpoint(JavaAccess<?> access) {
    boolean runsLater = access.isDeclaredInLambda() || access instanceof JavaMethodReference;
    return runsLater
        && access.getOrigin().getMethodCallsFromSelf().stream()
            .filter(FailpointCoverage::isFailpoint)
            .mapToInt(at -> access.getLineNumber() - at.getLineNumber())
            .anyMatch(below -> below >= 0 && below <= LINES);
  }

  private static boolean isFailpoint(JavaMethodCall call) {
    return call.getTargetOwner().getName().equals("keyfleet.control.Failpoints")
        && call.getTarget().getName().equals("at");
  }
}
