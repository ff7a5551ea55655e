package keyfleet.it.architecture;

import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// An architecture rule, with sources that violate it and sources that follow it. Every rule needs
/// both.
///
/// Examples stand one on a line: `module: code` for a main source, `module test: code`, or `path:
/// text`; `¶` is a line break. Each violating line must be caught on its own; the clean lines
/// together must pass.
@SuppressWarnings("ImmutableEnumChecker") // a check is a pure function of its argument
enum ArchitectureRule {
  /// Each package lies in the module of its name, in the folder of its name; `tools` holds one-file
  /// programs.
  PACKAGE_LOCATION(
      each(ModuleGraph::packageLocations),
      """
      unknown: class A {}
      crypto/src/main/java/keyfleet/crypto/A.java: package keyfleet.keyring; class A {}
      crypto/src/main/java/keyfleet/keyring/A.java: package keyfleet.keyring; class A {}
      crypto/src/main/java/keyfleet/crypto/A.java: package keyfleet.crypto.aead; class A {}
      crypto/src/main/java/A.java: class A {}
      """,
      """
      crypto: class A {}
      bench test: class ATest {}
      tools/A.java: class A {}
      kms/src/main/java/keyfleet/kms/grpc/A.java: package keyfleet.kms.grpc; class A {}
      member/src/test/java/keyfleet/member/keys/A.java: package keyfleet.member.keys; class A {}
      """),

  /// A module depends only on modules below it. Packages of one module may use each other.
  MODULE_DEPENDENCY(
      each(ModuleGraph::dependencies),
      """
      crypto: import keyfleet.keyring.Keystore; class A {}
      crypto test: class ATest { keyfleet.keyring.Keystore keystore; }
      nats: import keyfleet.mongodb.MongoKv; class A {}
      store: import keyfleet.sqlite.SqliteKv; class A {}
      providers: import static keyfleet.awskms.AwsKmsKek.REGION; class A {}
      cli: import keyfleet.sim.fleet.SimulatedFleet; class A {}
      wire/A.java: package keyfleet.wire; import keyfleet.control.rollout.RolloutLoop; class A {}
      """,
      """
      cli: import keyfleet.crypto.DerivedKeyAead; class A { Object o = keyfleet.waitFor(); }
      awskms: import keyfleet.providers.KekProvider; class A {}
      sqlite: import keyfleet.store.Kv; class A {}
      kms: import keyfleet.kms.grpc.A; class B {}
      kms/A.java: package keyfleet.kms.grpc; import keyfleet.kms.state.B; class A {}
      sim: import keyfleet.cli.Main; class A {}
      """),

  /// Third-party types stay in the module that needs them; `crypto` needs none.
  THIRD_PARTY(
      bans(BannedNames.THIRD_PARTY),
      """
      control: import io.nats.client.Nats; class A {}
      server: class A { io.grpc.Status status; }
      kms: import io.opentelemetry.api.trace.Span; class A {}
      crypto: import com.google.common.hash.Hashing; class A {}
      crypto test: import tools.jackson.databind.JsonNode; class ATest {}
      store: import org.sqlite.JDBC; class A {}
      sim: import org.sqlite.JDBC; class A {}
      """,
      """
      nats: import io.nats.client.Nats; class A {}
      crypto: import javax.crypto.Mac; import org.jspecify.annotations.Nullable; class A {}
      crypto test: import org.junit.jupiter.api.Test; class ATest {}
      it test: import com.mongodb.client.MongoClient; class ATest {}
      """),

  /// Pure modules have no clock, random source, thread, log or I/O of their own.
  PURE_MODULE(
      each(BannedNames.EFFECTS::check),
      """
      crypto: class A { SecureRandom random = new SecureRandom(); }
      crypto: class A { Supplier<Random> random = Random::new; }
      crypto: import static java.lang.System.nanoTime; class A {}
      keyring: class A { Object now = java.time.LocalDate.now(); }
      keyring: class A { void a() { System.out.println(); } }
      keyring: import org.slf4j.Logger; class A {}
      rollout: class A { Object a = Thread.ofVirtual(); }
      rollout: import java.nio.file.Path; class A {}
      """,
      """
      crypto: class A { void a(SecureRandom random, Instant now) { random.nextBytes(now.b()); } }
      crypto test: class ATest { SecureRandom random = new SecureRandom(); }
      providers: import java.nio.file.Path; class A { SecureRandom random = new SecureRandom(); }
      """),

  /// Only the wiring reads the clock; everything else takes time as an argument.
  CLOCK(
      each(BannedNames.CLOCKS::check),
      """
      cli: class A { Instant now = Instant.now(); }
      member: class A { LongSupplier ticks = System::nanoTime; }
      member: class A { void a() { java.lang.Thread.sleep(1); } }
      control: class A { InstantSource clock = Clock.systemUTC(); }
      """,
      """
      cli: class Main { InstantSource clock = InstantSource.system(); }
      control: class A { Instant a(InstantSource clock) { return clock.instant(); } }
      control test: class ATest { Instant now = Instant.now(); }
      """),

  /// A test waits for an event or moves a fake clock.
  SLEEP(
      each(BannedNames.SLEEPS::check),
      """
      crypto test: class ATest { void a() { Thread.sleep(1); } }
      crypto test: class ATest { void a() { TimeUnit.SECONDS.sleep(1); } }
      """,
      """
      crypto test: class ATest { void a() { clock.advance(Duration.ofSeconds(1)); } }
      """),

  /// A test can stop a loop before and after each of its effects.
  FAILPOINT(
      each(FailpointCoverage::check),
      """
      control: class A { Kv kv; void a() { kv.put(); } }
      control: class A { void a(Records records) { this.b(records.census()); } }
      control: class A { Object a(KekProvider keys) { return at(Failpoint.A, keys.load()::b); } }
      control: class A { record B(Kv kv) {} Object a(B b) { return b.kv().storeTime(); } }
      control: class A { Optional<Records> b() {} Object a() { return b().orElseThrow().fence(); } }
      control: class A { void a() { for (Kv one : all) { run(one::storeTime); } } }
      control: class A { Kv kv; Object a() { return points.at(point, () -> kv.storeTime()); } }
      """,
      """
      control: class A { Kv kv; Object a() { return points.at(Failpoint.A, () -> kv.get()); } }
      control: class B { B(Kv kv) { this.kv = kv; new KeystoreStore(kv); } }
      control: class C { Object a(Records records) { return at(Failpoint.A, records::census); } }
      control: class D { Kv kv; Object a(Failpoint point) { return at(point, () -> kv.get()); } }
      control test: class ATest { Kv kv; void a() { kv.put(); } }
      store: class A { Kv kv; void a() { kv.put(); } }
      """),

  /// Only a few files read secret bytes.
  SECRET_ACCESS(
      each(BannedNames.SECRETS::check),
      """
      cli: class A { byte[] a = key.reveal(SecretAccess.granted()); }
      cli: class A { Supplier<SecretAccess> a = SecretAccess::granted; }
      """,
      """
      crypto: class DerivedKeyAead { byte[] a = key.reveal(SecretAccess.granted()); }
      crypto test: class ATest { byte[] a = key.reveal(SecretAccess.granted()); }
      """),

  /// Some names are banned everywhere, others in main sources.
  BANNED(
      bans(BannedNames.GENERAL),
      """
      cli: class A { void a() { System.exit(1); } }
      cli test: class ATest { void a(Exception e) { e.getCause().printStackTrace(); } }
      cli: import static java.util.Objects.requireNonNull; class A {}
      cli: import lombok.Data; class A {}
      cli test: import org.mockito.Mockito; class ATest {}
      cli test: import net.jqwik.api.Property; class ATest {}
      cli test: import org.junit.jupiter.api.Disabled; class ATest {}
      cli: import static java.lang.System.*; class A {}
      """,
      """
      cli: class Main { void a() { System.exit(1); } }
      keyring: class A { VersionState state = new Disabled(); }
      cli test: class ATest { Object a = Objects.requireNonNull(b); }
      """),

  /// A file is short enough to keep in mind.
  FILE_LENGTH(
      each(CodeShape::fileLengths),
      "crypto: class A {" + "¶".repeat(500) + "}",
      "crypto: class A {" + "¶".repeat(499) + "}"),

  /// A method fits on one screen.
  METHOD_LENGTH(
      each(CodeShape::methodLengths),
      "crypto test: class ATest { void a() {" + "¶".repeat(70) + "} }",
      "crypto test: class ATest { void a() {" + "¶".repeat(69) + "} }"),

  /// A type has a name of the domain, not one that fits every class.
  TYPE_NAME(
      each(CodeShape::typeNames),
      """
      crypto: class KeyManager {}
      crypto: class A { interface B { record HexUtils() {} } }
      crypto test: class AbstractKekTest {}
      crypto: class BaseKek {}
      """,
      """
      crypto: class Keks { record Base64Text() {} interface ManagerOfKeys {} }
      """),

  /// Each top-level type has a simple name of its own in the whole repository, tests included. A
  /// nested type is known by the name of its outer type.
  UNIQUE_NAME(
      CodeShape::repeatedNames,
      """
      crypto: class A {} class A {}
      crypto: class B {} interface B {} record C() {}
      """,
      """
      crypto: class A { class C {} enum Kind {} }
      store: class B { class C {} enum Kind {} }
      crypto test: class ATest { record C() {} }
      """),

  /// A package is small enough to read.
  PACKAGE_SIZE(
      CodeShape::packageSizes,
      "crypto: " + "class A {} ".repeat(41),
      """
      crypto: %s
      crypto test: %s
      kms/src/main/java/keyfleet/kms/grpc/A.java: package keyfleet.kms.grpc; class A {}
      """
          .formatted("class A {} ".repeat(40), "class A {} ".repeat(50))),

  /// A test is named `situation_outcome`.
  TEST_NAME(
      each(CodeShape::testNames),
      """
      crypto test: class ATest { @Test void testSeal() {} }
      crypto test: class ATest { @ParameterizedTest void test_seal(int a) {} }
      """,
      """
      crypto test: class ATest { @Test void editedVersion_isRefused() {} Kek testKek() {} }
      """),

  /// An accessor has the name of its value, without `get`.
  GETTER(
      each(CodeShape::getters),
      """
      crypto: interface A { int getLength(); }
      """,
      """
      crypto: class A { @Override public int getPort() {} int getAt(int i) {} int get() {} }
      """),

  /// A public method takes no bare boolean: a caller's `true` explains nothing.
  BOOLEAN_PARAMETER(
      each(CodeShape::booleanParameters),
      """
      crypto: public class A { public void a(int b, boolean c) {} }
      crypto: public class A { public A(boolean b) {} }
      crypto: public interface A { void a(Boolean b); }
      """,
      """
      crypto: class A { public void a(boolean b) {} }
      crypto: public class A { void a(boolean b) {} @Override public void c(boolean d) {} }
      crypto: public record A(boolean b) { public A(boolean b) { this.b = b; } }
      """),

  /// `Optional` is for results.
  OPTIONAL(
      each(CodeShape::optionals),
      """
      crypto: class A { Optional<String> a; }
      crypto: class A { void a(java.util.OptionalInt b) {} }
      crypto: record A(Optional<Kek> kek) {}
      """,
      """
      crypto: class A { Optional<Kek> a() { Optional<Kek> found = b(); return found; } }
      """),

  /// A record has no array of bytes or characters: its accessor would expose the array, and its
  /// `equals` would compare identities.
  ARRAY_COMPONENT(
      each(CodeShape::arrayComponents),
      """
      crypto: record A(byte[] key) {}
      crypto test: class ATest { record B(String name, char[] text) {} }
      """,
      """
      crypto: record A(SecretBytes key) { static final byte[] MAGIC = {1}; }
      crypto: class B { byte[] bytes; }
      """),

  /// A constructor has at most five parameters.
  CONSTRUCTOR(
      each(CodeShape::constructors),
      """
      crypto: class A { A(int a, int b, int c, int d, int e, int f) {} }
      """,
      """
      crypto: class A { A(int a, int b, int c, int d, int e) {} }
      crypto: record B(int a, int b, int c, int d, int e, int f) {}
      crypto test: class ATest { ATest(int a, int b, int c, int d, int e, int f) {} }
      """),

  /// A class works with at most five others.
  COLLABORATOR(
      CodeShape::collaborators,
      """
      crypto: class A { B b, c, d, e, f, g; interface B {} }
      crypto: import java.util.function.Function; class A { Function<B, B> b, c, d, e, f, g; }
      """,
      """
      crypto: class A { B b, c, d, e, f; static B G; C h; String i; interface B {} enum C {} }
      """),

  /// A package describes itself, and is `@NullMarked`.
  PACKAGE_DOC(
      SourceText::packageDocs,
      """
      crypto: class A {}
      a/src/main/java/a/package-info.java: /** One. */ @NullMarked package a;
      a/src/main/java/a/package-info.java: /** One. Two. */ package a;
      """,
      """
      a/src/main/java/a/package-info.java: /// One.¶/// Two.¶@NullMarked package a;
      a/src/main/java/a/A.java: package a; class A {}
      b/src/test/java/b/ATest.java: package b; class ATest {}
      """),

  /// A comment contains no marks of unfinished work and no names of authors.
  COMMENT(
      each(SourceText::comments),
      """
      crypto: class A {} // TODO: more
      crypto: /* see¶FIXME */ class A {}
      crypto: /** @author me */ class A {}
      """,
      """
      crypto: class A { String a = "// TODO"; } // the driver still has to do it
      """),

  /// No file names a folder of one machine, or a registry that not every machine reaches.
  MACHINE_PATH(
      each(SourceText::machinePaths),
      """
      README.md: unpack it in /ro·ot/keys
      crypto: class A { String a = "/wo·rk/main"; } // or /ho·me/me
      pom.xml: <url>https://repo1.ma·ven.org/maven2</url>
      .ci/run: OUT=/tmp/o·ut
      """
          .replace("·", ""),
      """
      pom.xml: <project xmlns="http://maven.apache.org/POM/4.0.0">
      README.md: keys are in /run/secrets, the work/main folder holds none
      """);

  private interface Check {
    Stream<RuleViolation> on(List<SourceFile> tree);
  }

  private static final Pattern TYPE = Pattern.compile("\\b(?:class|record|interface|enum) (\\w+)");

  private final Check check;
  private final String violating;
  private final String clean;

  ArchitectureRule(Check check, String violating, String clean) {
    this.check = check;
    this.violating = violating;
    this.clean = clean;
  }

  /// One violation per line, sorted by path and line.
  String violations(List<SourceFile> tree) {
    return check
        .on(tree)
        .sorted()
        .map(it -> "%s:%d %s: %s%n".formatted(it.path(), it.line(), this, it.message()))
        .collect(Collectors.joining());
  }

  List<SourceFile> violatingExamples() {
    return parse(violating);
  }

  List<SourceFile> cleanExamples() {
    return parse(clean);
  }

  private static Check each(Function<SourceFile, Stream<RuleViolation>> check) {
    return tree -> tree.stream().flatMap(check);
  }

  private static Check bans(List<BannedNames> bans) {
    return each(file -> bans.stream().flatMap(banned -> banned.check(file)));
  }

  private static List<SourceFile> parse(String examples) {
    return SourceFile.parse(examples.lines().map(ArchitectureRule::example).toList());
  }

  private static SourceFile.Text example(String line) {
    String[] parts = line.replace('¶', '\n').split(": ", 2);
    if (parts[0].contains(".")) {
      return new SourceFile.Text(parts[0], parts[1]);
    }
    String name = TYPE.matcher(parts[1]).results().findFirst().orElseThrow().group(1);
    String module = parts[0].replace(" test", "");
    String kind = parts[0].equals(module) ? "main" : "test";
    return new SourceFile.Text(
        "%s/src/%s/java/keyfleet/%s/%s.java".formatted(module, kind, module, name),
        "package keyfleet." + module + "; " + parts[1]);
  }
}
