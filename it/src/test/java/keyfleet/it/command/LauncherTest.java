package keyfleet.it.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import keyfleet.it.architecture.Repository;
import keyfleet.it.process.Shell;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the launcher `./keyfleet`: the first start, rebuilds, and the process that it becomes.
class LauncherTest {
  /// One command for each cache that a build creates.
  private static final String VERIFY =
      "KEYFLEET_KEK_V1=%s checkout/keyfleet kek verify --local".formatted("01".repeat(32));

  private static final String ANNOUNCE =
      "KEYFLEET_KEK_V1=%s checkout/keyfleet kek announce --version=1 --store sqlite:$$.db"
          .formatted("01".repeat(32));

  @TempDir Path folder = Path.of("");

  /// Skips the gates, which the same sources have passed in this build; it halves the time.
  private static final String WITHOUT_GATES = "-o -Derrorprone.flags=-XDgates=none";

  /// A separate checkout with an empty cache, except for the Maven that was already downloaded.
  private Shell freshCheckout() throws IOException {
    Path root = Repository.root();
    Path cache = Files.createDirectories(folder.resolve("cache/keyfleet"));
    Shell shell =
        new Shell(
            folder,
            Map.of(
                "XDG_CACHE_HOME", folder.resolve("cache").toString(), "MAVEN_ARGS", WITHOUT_GATES));
    shell.run(
        "mkdir checkout && cd %s && git ls-files -co --exclude-standard | tar -cf - -T - | tar -xf - -C %s/checkout"
            .formatted(root, folder));
    Path maven = userCache().resolve("apache-maven-3.10.0");
    if (Files.isDirectory(maven)) {
      Files.createSymbolicLink(cache.resolve("apache-maven-3.10.0"), maven);
    }
    return shell;
  }

  private static Path userCache() {
    String home = System.getenv().getOrDefault("HOME", "");
    String cache = System.getenv().getOrDefault("XDG_CACHE_HOME", home + "/.cache");
    return Path.of(cache, "keyfleet");
  }

  @Test
  void twoFirstStarts_buildOnce_andAnEditedSourceRunsNewCode() throws IOException {
    Shell shell = freshCheckout();
    Shell.Result both =
        shell.run(
            "checkout/keyfleet --version >one 2>one.err & checkout/keyfleet --version >two"
                + " 2>two.err; wait; cat one two; cat one.err two.err >&2");
    assertEquals(List.of("keyfleet 0.1.0", "keyfleet 0.1.0"), both.out(), both.err().toString());
    assertEquals(
        1,
        both.err().stream().filter(l -> l.contains("building, ")).count(),
        both.err().toString());
    assertEquals(2, both.err().size(), both.err().toString());

    assertEachCacheIsUsed(shell);
    Path cli = folder.resolve("checkout/cli/src/main");
    Files.writeString(cli.resolve("resources/keyfleet/cli/version.txt"), "edited");
    Path printed = cli.resolve("java/keyfleet/cli/kek/LocalVerification.java");
    Files.writeString(printed, Files.readString(printed).replace("RESULT", "EDITED"));
    assertEquals(List.of("keyfleet edited"), shell.run("checkout/keyfleet --version").out());
    assertTrue(shell.run(VERIFY).out().getFirst().endsWith("EDITED"), "old code ran");
    assertEachCacheIsUsed(shell);

    Files.writeString(
        folder.resolve("checkout/cli/src/main/java/keyfleet/cli/Main.java"), "class {");
    Shell.Result broken = shell.run("checkout/keyfleet --version");
    assertEquals(1, broken.exit());
    assertTrue(broken.err().getLast().startsWith("Try: "), broken.err().toString());
    assertTrue(broken.out().isEmpty(), broken.out().toString());
  }

  /// `AOTMode=on` ends a JVM that cannot use its cache.
  private static void assertEachCacheIsUsed(Shell shell) {
    for (String command : List.of(VERIFY, ANNOUNCE, "checkout/keyfleet kms-plugin --help")) {
      Shell.Result result = shell.run("export JDK_JAVA_OPTIONS=-XX:AOTMode=on; " + command);
      assertEquals(0, result.exit(), result.toString());
    }
    Shell.Result without =
        shell.run("find cache -name java-plugin.args -exec grep -L plugin.aot {} +");
    assertEquals(List.of(), without.out(), "builds whose plugin has no cache of its own");
  }

  @Test
  void anotherJdk_runsWithoutTheCaches() throws IOException {
    Path jdk =
        Files.createSymbolicLink(folder.resolve("jdk"), Path.of(System.getProperty("java.home")));
    String version = Repository.root().resolve("keyfleet") + " --version";
    new Shell(folder, Map.of()).run(version); // builds if necessary, with the usual JDK
    Shell.Result result = new Shell(folder, Map.of("JAVA_HOME", jdk.toString())).run(version);
    assertEquals(List.of("keyfleet 0.1.0"), result.out(), result.err().toString());
  }

  @Test
  void changedJdkFile_isNoticed_evenIfOlder() {
    String keep = "app=.; : >java.args; touch -t 202001010000 f; record_mtime f; ";
    assertEquals(0, toolchain(keep + "has_recorded_mtime f").exit());
    assertEquals(1, toolchain(keep + "touch -t 202001010001 f; has_recorded_mtime f").exit());
    assertEquals(1, toolchain(keep + "touch -t 201912310000 f; has_recorded_mtime f").exit());
    String inexact = keep + "rm f.time; ";
    assertEquals(0, toolchain(inexact + "has_recorded_mtime f").exit());
    assertEquals(
        1,
        toolchain(inexact + "touch -t 202001010000 java.args; touch f; has_recorded_mtime f")
            .exit());
  }

  @Test
  void launcher_becomesTheJavaProcess() throws IOException {
    Path keys = Files.createDirectory(folder.resolve("keys"));
    Shell shell = new Shell(folder, Map.of());
    String keyfleet = Repository.root().resolve("keyfleet").toString();
    shell.run(keyfleet + " kek generate --version=1 --provider file:" + keys);
    Process process =
        shell.start(
            "exec " + keyfleet + " kek verify --local --provider 'simulated:keys?latency=30s'",
            ProcessBuilder.Redirect.DISCARD,
            folder.resolve("err"));
    try {
      assertTrue(awaitJava(process), "pid " + process.pid() + " did not become java");
    } finally {
      process.destroyForcibly();
    }
  }

  /// Returns whether the process becomes a JVM within 30 seconds.
  private static boolean awaitJava(Process process) {
    for (int i = 0; i < 600 && process.isAlive(); i++) {
      if (process.info().command().orElse("").endsWith("/java")) {
        return true;
      }
      try {
        process.waitFor(50, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return false;
  }

  private Shell.Result toolchain(String commands) {
    Path root = Repository.root();
    return new Shell(folder, Map.of())
        .run("here=%s; . $here/tools/toolchain.sh; %s".formatted(root, commands));
  }

  @Test
  void noJdk_printsOneSentenceAndARemedy() {
    Shell.Result result = toolchain("is_jdk() { return 1; }; find_jdk");
    assertEquals(1, result.exit());
    assertEquals(2, result.err().size(), result.err().toString());
    assertTrue(result.err().getFirst().startsWith("keyfleet: needs a JDK of 25 or newer"));
    assertTrue(result.err().getLast().startsWith("Try: install one"));
  }

  /// CI runs as root, who may write everywhere; another user runs the launcher then.
  @Test
  void userWhoCannotWriteTheCache_getsOneSentenceAndARemedy() throws IOException {
    Path checkout = Files.createDirectories(folder.resolve("checkout"));
    Path home = Files.createDirectories(folder.resolve("home"));
    Shell shell = new Shell(folder, Map.of("JAVA_HOME", System.getProperty("java.home")));
    shell.run(
        "cp -R %1$s/keyfleet %1$s/tools %2$s && chmod -R a+rX %3$s && chmod a-w %4$s"
            .formatted(Repository.root(), checkout, folder, home));
    boolean isRoot = shell.run("id -u").out().equals(List.of("0"));
    String asOther = isRoot ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
    Shell.Result result =
        shell.run(
            "unset XDG_CACHE_HOME; export HOME=%s; %s%s/keyfleet --version"
                .formatted(home, asOther, checkout));
    assertEquals(1, result.exit());
    assertEquals(List.of(), result.out());
    assertEquals(2, result.err().size(), result.err().toString());
    assertTrue(
        result.err().getFirst().matches("keyfleet: user .+ cannot write to .+/home/.+"),
        result.err().toString());
    assertEquals("Try: export XDG_CACHE_HOME=$(mktemp -d)", result.err().getLast());
    Shell.Result homeless =
        shell.run("unset XDG_CACHE_HOME HOME; %s/keyfleet --version".formatted(checkout));
    assertEquals(1, homeless.exit());
    assertEquals(2, homeless.err().size(), homeless.err().toString());
  }

  @Test
  void jdk_isRecognizedByItsReleaseFile() throws IOException {
    for (String version : List.of("25", "25.0.3", "26-ea", "100.1")) {
      assertEquals(0, isJdk(version), version);
    }
    for (String version : List.of("17.0.15", "24.0.2", "1.8.0_402", "x")) {
      assertFalse(isJdk(version) == 0, version);
    }
  }

  private int isJdk(String version) throws IOException {
    Path jdk = Files.createDirectories(folder.resolve("jdk/bin")).getParent();
    Path javac = Files.writeString(folder.resolve("jdk/bin/javac"), "");
    assertTrue(javac.toFile().setExecutable(true));
    Files.writeString(
        folder.resolve("jdk/release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
    return toolchain("is_jdk " + jdk).exit();
  }

  @Test
  void mavenWithTheWrongChecksum_isRefused() throws IOException {
    Path bin = Files.createDirectory(folder.resolve("bin"));
    Path mvn = bin.resolve("mvn");
    Files.writeString(mvn, "#!/bin/sh\necho forged >\"$PWD/apache-maven-3.10.0-bin.tar.gz\"\n");
    assertTrue(mvn.toFile().setExecutable(true));
    Shell.Result result =
        toolchain("cache=%s/c; PATH=%s:$PATH; fetch_maven".formatted(folder, bin));
    assertEquals(1, result.exit());
    assertTrue(
        result.err().getFirst().contains("does not have the published digest"),
        result.err().toString());
  }
}
