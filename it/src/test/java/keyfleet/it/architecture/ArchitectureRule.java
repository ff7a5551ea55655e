package keyfleet.it.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaModifier.SYNTHETIC;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.conditions.ArchConditions.have;
import static com.tngtech.archunit.lang.conditions.ArchConditions.onlyHaveDependenciesWhere;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noCodeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static keyfleet.it.architecture.BannedNames.areOutside;
import static keyfleet.it.architecture.BannedNames.use;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;
import java.util.List;
import java.util.stream.Stream;
import org.junit.platform.commons.annotation.Testable;

/// A rule about compiled classes, with classes that violate it and classes that follow it.
///
/// Examples stand one on a line: `module: code`. Each violating line must be caught; the clean
/// lines together must pass.
@SuppressWarnings("ImmutableEnumChecker") // ArchUnit's rules are not annotated as immutable
enum ArchitectureRule {
  /// A module depends only on modules below it. Packages of one module may use each other.
  MODULE_DEPENDENCY(
      classes().should(onlyHaveDependenciesWhere(ModuleGraph.DEPENDENCIES_DOWNWARD)),
      """
      crypto: class A { keyfleet.keyring.Keystore keystore; }
      nats: class B { Object store = keyfleet.mongodb.MongoEngine.class; }
      store: class C { keyfleet.sqlite.SqliteEngine[] stores; }
      providers: interface D extends Consumer<keyfleet.awskms.AwsKmsSpec> {}
      crypto: class E { keyfleet.it.architecture.Repository repository; }
      """,
      """
      cli: class A { SecretBytes bytes; Object main = keyfleet.cli.Main.class; }
      awskms: class B { keyfleet.providers.KekProvider provider; }
      sim: class C { keyfleet.cli.Main main; }
      """),

  /// Third-party types stay in the module that needs them; `crypto` needs none.
  THIRD_PARTY(
      CompositeArchRule.of(
              classes().should(onlyHaveDependenciesWhere(ModuleGraph.ALLOWED_LIBRARIES)))
          .and(
              classes()
                  .that()
                  .resideInAPackage("keyfleet.crypto..")
                  .and(areMain())
                  .should()
                  .onlyDependOnClassesThat()
                  .resideInAnyPackage(
                      "java..",
                      "javax..",
                      "keyfleet..",
                      "org.jspecify..",
                      "com.google.errorprone.annotations..")),
      """
      control: class A { io.nats.client.Connection connection; }
      server: class B { Object a() { return io.grpc.Status.OK; } }
      kms: class C { Supplier<Object> a = io.opentelemetry.api.trace.Span::current; }
      crypto: class D { com.google.protobuf.Message message; }
      store: class E extends org.sqlite.JDBC {}
      """,
      """
      nats: class A { io.nats.client.Connection connection; }
      crypto: class B { javax.crypto.Mac mac; byte[][] bytes; @org.jspecify.annotations.Nullable B b; }
      """),

  /// Pure modules have no clock, random source, thread, log or I/O of their own.
  PURE_MODULE(
      noClasses()
          .that(ModuleGraph.PURE_MODULES)
          .and(areMain())
          .should(use(BannedNames.CLOCK + BannedNames.EFFECT))
          .because("a pure module takes the outcome as an argument"),
      """
      crypto: class A { SecureRandom random = new SecureRandom(); }
      crypto: class B { Supplier<Random> random = Random::new; }
      crypto: class C { Object now = LocalDate.now(); }
      keyring: class D { void a() { System.out.println(); } }
      keyring: class E { org.slf4j.Logger log; }
      rollout: class F { Object a = Thread.ofVirtual(); }
      rollout: class G { java.nio.file.Path path; }
      """,
      """
      crypto: class A { void a(SecureRandom random, Instant now) { random.nextBytes(null); } }
      providers: class B { java.nio.file.Path path; SecureRandom random = new SecureRandom(); }
      """),

  /// Only the wiring reads the clock; everything else takes time as an argument.
  CLOCK(
      noClasses()
          .that(areMain())
          .and(areOutside(BannedNames.WIRING))
          .should(use(BannedNames.CLOCK))
          .because("only the wiring has a clock; take it as an argument"),
      """
      cli: class A { Instant now = Instant.now(); }
      member: class B { LongSupplier ticks = System::nanoTime; }
      control: class C { InstantSource clock = Clock.systemUTC(); }
      control: class D { Runnable a = () -> java.util.concurrent.locks.LockSupport.park(); }
      """,
      """
      cli: class Main { class Part { InstantSource clock = InstantSource.system(); } }
      control: class A { Instant a(InstantSource clock) { return clock.instant(); } }
      """),

  /// Code waits for an event; a test waits for an event or moves a fake clock.
  SLEEP(
      noClasses()
          .that(areOutside(BannedNames.WIRING))
          .should(use("Thread.sleep TimeUnit.sleep"))
          .because("a sleep is too short or too long; wait for a condition or move a fake clock"),
      """
      crypto: class A { void a() throws Exception { Thread.sleep(1); } }
      crypto: class B { void a() throws Exception { TimeUnit.SECONDS.sleep(1); } }
      """,
      """
      crypto: class A { void a(CountDownLatch end) throws Exception { end.await(); } }
      """),

  /// A test can stop a loop before and after each of its effects.
  FAILPOINT(
      noClasses()
          .that()
          .resideInAPackage("keyfleet.control..")
          .and(areMain())
          .should(FailpointCoverage.haveAnEffectOutside()),
      """
      control: class A { Kv kv; void a() { kv.storeTime(); } }
      control: class B { void a(Records records) { this.b(records.census()); } void b(Object c) {} }
      control: class C { Object a(Failpoints b, Kv kv) { return b.at(CENSUS, kv.storeTime()::toString); } }
      control: class D { record B(Kv kv) {} Object a(B b) { return b.kv().storeTime(); } }
      control: class E { Optional<Records> b; Object a() { return b.orElseThrow().fence(); } }
      control: class F { Object a(Kv kv) { Supplier<Object> b = kv::storeTime; return b.get(); } }
      control: class G { Object a(Kv kv) { Supplier<Object> b = () -> kv.storeTime(); return b.get(); } }
      control: class H { Supplier<?> a(Failpoints b, Kv c) { b.at(CENSUS, () -> 1);¶¶¶¶return c::storeTime; } }
      """,
      """
      control: class A { Object a(Failpoints b, Kv kv) { return b.at(CENSUS, () -> kv.storeTime()); } }
      control: class B { Object a(Failpoints b, Kv kv) { return b.at(CENSUS, kv::storeTime); } }
      control: class C { Object a(Failpoints b, Failpoint c, Kv kv) { return b.at(c,¶kv::storeTime); } }
      store: class E { Kv kv; void a() { kv.storeTime(); } }
      """),

  /// Only a few classes read secret bytes.
  SECRET_ACCESS(
      noClasses()
          .that(areMain())
          .and(areOutside(BannedNames.SECRET_READERS))
          .should(use("SecretAccess.granted"))
          .because("only SECRET_READERS read secret bytes; if this class must, add it there"),
      """
      cli: class A { Object a(SecretBytes key) { return key.reveal(SecretAccess.granted()); } }
      cli: class B { Supplier<SecretAccess> a = SecretAccess::granted; }
      """,
      """
      cli: class A { Object a(SecretBytes key, SecretAccess access) { return key.reveal(access); } }
      crypto: class DerivedKeyAead { Object a(SecretBytes b) { return b.reveal(SecretAccess.granted()); } }
      """),

  /// Only the wiring ends the process.
  EXIT(
      noClasses()
          .that(areOutside(BannedNames.WIRING))
          .should(use("System.exit"))
          .because("only the wiring ends the process; throw an exception"),
      """
      cli: class A { void a() { System.exit(1); } }
      """,
      """
      cli: class A { void a() { throw new IllegalStateException(); } }
      cli: class Main { void a() { System.exit(1); } }
      """),

  /// A stack trace is not a message for operators, and a disabled test hides what is broken.
  BANNED(
      noClasses()
          .should(use("printStackTrace org.junit.jupiter.api.Disabled"))
          .because("operators need a message, and a broken test is mended or deleted"),
      """
      cli: class A { void a(Exception e) { e.getCause().printStackTrace(); } }
      cli: class B { @Disabled @Test void a() {} }
      """,
      """
      keyring: class A { class Disabled {} Object state = new Disabled(); }
      """),

  /// A type has a name of the domain, not one that fits every class.
  TYPE_NAME(
      noClasses()
          .should()
          .haveNameMatching(
              ".*[.$]\\d*([^.$]*(Manager|Helpers?|Utils?|Impl)|(Abstract|Base)[A-Z][^.$]*)")
          .because("such a name could be that of any class; say what this one does"),
      """
      crypto: class KeyManager {}
      crypto: class A { interface B { record HexUtils() {} } }
      crypto: class AbstractKekTest {}
      crypto: class BaseKek {}
      """,
      """
      crypto: class Keks { record Base64Text() {} interface ManagerOfKeys {} }
      """),

  /// A test is named `situation_outcome`.
  TEST_NAME(
      noMethods().that().areMetaAnnotatedWith(Testable.class).should().haveNameStartingWith("test"),
      """
      crypto: class A { @Test void testSeal() {} }
      crypto: class B { @ParameterizedTest void test_seal(int a) {} }
      """,
      """
      crypto: class A { @Test void editedVersion_isRefused() {} A testKek() { return this; } }
      """),

  /// An accessor is named without `get`.
  GETTER(
      noMethods()
          .that()
          .haveRawParameterTypes(new Class<?>[0])
          .and(overrideNothing())
          .should()
          .haveNameMatching("get[A-Z].*")
          .because("an accessor has the name of its value"),
      """
      crypto: interface A { int getLength(); }
      """,
      """
      crypto: class A extends Exception { public String getMessage() { return ""; } }
      crypto: class B { int getAt(int i) { return i; } int get() { return 0; } }
      """),

  /// A public method takes no bare boolean: a caller's `true` explains nothing.
  BOOLEAN_PARAMETER(
      noCodeUnits()
          .that()
          .arePublic()
          .and()
          .areDeclaredInClassesThat()
          .arePublic()
          .and(overrideNothing())
          .and(
              describe(
                  "are no constructor of a record",
                  it -> !(it.isConstructor() && it.getOwner().isRecord())))
          .should()
          .haveRawParameterTypes(containing("boolean|java\\.lang\\.Boolean"))
          .because("an enum, or two methods, tell a reader of the call what is meant"),
      """
      crypto: public class A { public void a(int b, boolean c) {} }
      crypto: public class B { public B(boolean b) {} }
      crypto: public interface C { void a(Boolean b); }
      """,
      """
      crypto: class A { public void a(boolean b) {} }
      crypto: public class B { void a(boolean b) {} }
      crypto: public class C implements Consumer<Boolean> { public void accept(Boolean d) {} }
      crypto: public record D(boolean b) { public D(boolean b) { this.b = b; } }
      """),

  /// `Optional` is for results.
  OPTIONAL(
      CompositeArchRule.of(
              noFields()
                  .that()
                  .doNotHaveModifier(SYNTHETIC)
                  .should()
                  .haveRawType(nameMatching("java\\.util\\.Optional.*")))
          .and(
              noCodeUnits()
                  .that()
                  .doNotHaveModifier(SYNTHETIC)
                  .and()
                  .areDeclaredInClassesThat(
                      describe("capture no variable", it -> !capturesVariables(it)))
                  .should()
                  .haveRawParameterTypes(containing("java\\.util\\.Optional.*"))),
      """
      crypto: class A { Optional<String> a; }
      crypto: class B { void a(OptionalInt b) {} }
      crypto: record C(Optional<String> b) {}
      """,
      """
      crypto: class A { Optional<String> a() { return Optional.of("b"); } int b; }
      crypto: class B { Object a() { var b = Optional.of("c"); return new Object() { Object d = b; }; } }
      crypto: class C { Object a() { var b = Optional.of("c"); Runnable d = () -> b.get(); return d; } }
      """),

  /// Advice, which is printed and fails no build: a method fits on one screen.
  METHOD_LENGTH(
      methods().should(have(describe("at most 70 lines", it -> lastLine(it) - firstLine(it) < 70))),
      "crypto: class A { void a() {a();" + "¶".repeat(70) + "a();} }",
      "crypto: class A { void a() {a();" + "¶".repeat(69) + "a();} }");

  private final ArchRule rule;
  private final String violating;
  private final String clean;

  ArchitectureRule(ArchRule rule, String violating, String clean) {
    this.rule = rule;
    this.violating = violating;
    this.clean = clean;
  }

  boolean isAdvice() {
    return this == METHOD_LENGTH;
  }

  List<String> violations(JavaClasses classes) {
    return rule.evaluate(classes).getFailureReport().getDetails();
  }

  /// The rule in words, with its reason.
  @Override
  public String toString() {
    return name() + ": " + rule.getDescription();
  }

  String violatingExamples() {
    return violating;
  }

  String cleanExamples() {
    return clean;
  }

  private static DescribedPredicate<JavaClass> areMain() {
    return describe("are not tests", ClassFiles::isMain);
  }

  /// javac passes captured variables as parameters.
  private static boolean capturesVariables(JavaClass type) {
    return type.isAnonymousClass() || type.isLocalClass();
  }

  private static DescribedPredicate<JavaCodeUnit> overrideNothing() {
    return describe(
        "override nothing",
        method ->
            Stream.concat(
                    method.getOwner().getAllRawSuperclasses().stream(),
                    method.getOwner().getAllRawInterfaces().stream())
                .noneMatch(supertype -> isOverridden(method, supertype)));
  }

  /// The types of parameters do not tell: of a generic type, the method that overrides has others.
  private static boolean isOverridden(JavaCodeUnit method, JavaClass supertype) {
    int parameters = method.getRawParameterTypes().size();
    return supertype.getMethods().stream()
        .anyMatch(it ->
            it.getName().equals(method.getName())
                && it.getRawParameterTypes().size() == parameters);
  }

  private static DescribedPredicate<List<JavaClass>> containing(String type) {
    return describe(
        "with " + type, types -> types.stream().anyMatch(it -> it.getName().matches(type)));
  }

  private static int firstLine(JavaCodeUnit method) {
    return method.getSourceCodeLocation().getLineNumber();
  }

  private static int lastLine(JavaCodeUnit method) {
    return method.getAccessesFromSelf().stream()
        .mapToInt(JavaAccess::getLineNumber)
        .max()
        .orElse(0);
  }
}
