package keyfleet.it.architecture;

import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import keyfleet.it.architecture.Repository.TextFile;

/// A rule about files, comments and texts, which class files do not have, with files that violate
/// it and files that follow it.
///
/// Examples stand one on a line: `path: text`; `¶` is a line break. Each violating file must be
/// caught; the clean files together must pass.
@SuppressWarnings("ImmutableEnumChecker") // a check is a pure function of its argument
enum SourceRule {
  /// A source is in the folder of its module's package; `tools` holds one-file programs.
  LOCATION(
      files(
          Paths.JAVA,
          file ->
              !file.path()
                  .matches("(\\w+)/src/(main|test)/java/keyfleet/\\1/.*|tools/\\w+\\.java")),
      """
      crypto/src/main/java/keyfleet/keyring/A.java: package keyfleet.keyring; class A {}
      crypto/src/main/java/A.java: class A {}
      """,
      """
      tools/A.java: class A {}
      kms/src/test/java/keyfleet/kms/grpc/A.java: package keyfleet.kms.grpc; class A {}
      """),

  /// Each top-level type has a simple name of its own in the whole repository, tests included.
  /// Error Prone checks that a file has one top-level type.
  UNIQUE_NAME(
      atMost(1, Paths.JAVA, TextFile::name),
      """
      crypto/src/main/java/keyfleet/crypto/A.java: class A {}
      crypto/src/test/java/keyfleet/crypto/part/A.java: record A() {}
      """,
      """
      crypto/src/main/java/keyfleet/crypto/A.java: class A { record B() {} }
      crypto/src/main/java/keyfleet/crypto/B.java: class B { record A() {} }
      """),

  /// A package is small enough to read.
  PACKAGE_SIZE(
      atMost(40, Paths.MAIN, TextFile::folder),
      numbered(41, "crypto/src/main/java/keyfleet/crypto/A%d.java: class A%<d {}"),
      numbered(40, "crypto/src/main/java/keyfleet/crypto/A%d.java: class A%<d {}")
          + numbered(50, "crypto/src/test/java/keyfleet/crypto/B%d.java: class B%<d {}")),

  /// A package describes itself in two sentences. Error Prone checks that it is `@NullMarked`.
  PACKAGE_DOC(
      files(
          ".*/src/main/.*/package-info\\.java",
          file -> !file.text().matches("(?s)///(.*?[.!?]\\s){2}.*")),
      """
      a/src/main/java/keyfleet/a/package-info.java: @NullMarked package keyfleet.a;
      b/src/main/java/keyfleet/b/package-info.java: /// One.¶@NullMarked package keyfleet.b;
      """,
      """
      a/src/main/java/keyfleet/a/package-info.java: /// One.¶/// Two.¶@NullMarked package keyfleet.a;
      b/src/test/java/keyfleet/b/package-info.java: @NullMarked package keyfleet.b;
      """),

  /// A source contains no marks of unfinished work and no names of authors.
  COMMENT(
      lines(Paths.JAVA, "\\b(TO(DO)|FIX(ME)|XX(X))\\b|@(author)\\b"),
      """
      a/A.java: class A {} // TO·DO: more
      a/B.java: /* see¶FIX·ME */ class A {}
      a/C.java: /** @au·thor me */ class A {}
      """,
      """
      a/A.java: class A {} // the driver still has to do it
      """),

  /// The compiler checks for null. javac itself calls this method, so class files do not tell.
  NULL_CHECK(
      lines(Paths.MAIN, "\\brequireNonNull"),
      """
      cli/src/main/java/keyfleet/cli/A.java: import static java.util.Objects.requireNonNull;
      cli/src/main/java/keyfleet/cli/B.java: class A { Object a = Objects.requireNonNullElse(b, c); }
      """,
      """
      cli/src/test/java/keyfleet/cli/ATest.java: class ATest { Object a = Objects.requireNonNull(b); }
      """),

  /// No file names a folder of one machine, or a registry that not every machine reaches.
  MACHINE_PATH(
      lines(
          ".*",
          "/(root|work|farm)/|/home/\\w|/tmp/(out)"
              + "|\\b(repo1\\.maven\\.org|repo\\.maven\\.apache\\.org|registry\\.npmjs\\.org"
              + "|pypi\\.org|proxy\\.golang\\.org|deb\\.debian\\.org|crates\\.io)\\b"),
      """
      README.md: unpack it in /ro·ot/keys
      A.java: class A { String a = "/wo·rk/main"; } // or /ho·me/me
      pom.xml: <url>https://repo1.ma·ven.org/maven2</url>
      .ci/run: OUT=/tmp/o·ut
      """,
      """
      pom.xml: <project xmlns="http://maven.apache.org/POM/4.0.0">
      README.md: keys are in /run/secrets, the work/main folder holds none
      """),

  /// Advice, which is printed and fails no build: a file is short enough to keep in mind.
  FILE_LENGTH(
      files(Paths.JAVA, file -> file.text().lines().count() > 500),
      "crypto/A.java: " + "¶".repeat(500) + "class A {}",
      "crypto/A.java: " + "¶".repeat(499) + "class A {}");

  /// Which files a rule is about. Constants of an enum see those of a nested type only.
  private static final class Paths {
    static final String JAVA = ".*\\.java";
    static final String MAIN = ".*/src/main/.*\\.java";
  }

  private interface Check {
    Stream<String> on(List<TextFile> files);
  }

  private final Check check;
  private final String violating;
  private final String clean;

  SourceRule(Check check, String violating, String clean) {
    this.check = check;
    this.violating = violating;
    this.clean = clean;
  }

  boolean isAdvice() {
    return this == FILE_LENGTH;
  }

  /// Each violation begins with the path of the file, or names the paths of all files concerned.
  List<String> violations(List<TextFile> files) {
    return check.on(files).toList();
  }

  List<TextFile> violatingExamples() {
    return parse(violating);
  }

  List<TextFile> cleanExamples() {
    return parse(clean);
  }

  private static List<TextFile> parse(String examples) {
    return examples
        .lines()
        .map(line -> line.replace("·", "").replace('¶', '\n').split(": ", 2))
        .map(parts -> new TextFile(parts[0], parts[1]))
        .toList();
  }

  private static String numbered(int count, String line) {
    return IntStream.range(0, count)
        .mapToObj(number -> line.formatted(number) + "\n")
        .collect(Collectors.joining());
  }

  private static Check files(String paths, Predicate<TextFile> isBad) {
    return files ->
        files.stream().filter(file -> file.path().matches(paths)).filter(isBad).map(TextFile::path);
  }

  private static Check lines(String paths, String banned) {
    Pattern pattern = Pattern.compile(banned);
    return files ->
        files.stream()
            .filter(file -> file.path().matches(paths))
            .flatMap(file ->
                file.text()
                    .lines()
                    .filter(line -> pattern.matcher(line).find())
                    .map(line -> file.path() + ": " + line.strip()));
  }

  /// At most `count` files have one key in common.
  private static Check atMost(int count, String paths, Function<TextFile, String> key) {
    return files ->
        files.stream()
            .filter(file -> file.path().matches(paths))
            .filter(file -> !file.name().equals("package-info.java"))
            .collect(Collectors.groupingBy(key))
            .entrySet()
            .stream()
            .filter(group -> group.getValue().size() > count)
            .map(group ->
                "more than %d of %s: %s"
                    .formatted(
                        count,
                        group.getKey(),
                        group.getValue().stream()
                            .map(TextFile::path)
                            .collect(Collectors.joining(", "))));
  }
}
