package keyfleet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `./keyfleet` itself: first starts, rebuilds, and what it becomes.
class LauncherTest {
  @TempDir Path folder = Path.of("");

  /// How the launcher builds is not asked here, and the same sources have passed the gates in this
  /// very build: without them it is done in half the time.
  private static final String WITHOUT_GATES = "-o -Derrorprone.flags=-XDgates=none";

  /// A checkout of its own with an empty cache, but for the Maven that was fetched already.
  private Shell freshCheckout() throws IOException {
    Path root = Checkout.root();
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

    Path version = folder.resolve("checkout/cli/src/main/resources/keyfleet/cli/version.txt");
    Files.writeString(version, "edited");
    assertEquals(List.of("keyfleet edited"), shell.run("checkout/keyfleet --version").out());

    Files.writeString(
        folder.resolve("checkout/cli/src/main/java/keyfleet/cli/Main.java"), "class {");
    Shell.Result broken = shell.run("checkout/keyfleet --version");
    assertEquals(1, broken.exit());
    assertTrue(broken.err().getLast().startsWith("Try: "), broken.err().toString());
    assertTrue(broken.out().isEmpty(), broken.out().toString());
  }

  @Test
  void launcher_becomesTheJavaProcess() throws IOException {
    Path keys = Files.createDirectory(folder.resolve("keys"));
    Shell shell = new Shell(folder, Map.of());
    String keyfleet = Checkout.root().resolve("keyfleet").toString();
    shell.run(keyfleet + " kek generate --version=1 --provider file:" + keys);
    Process process =
        shell.start(
            "exec " + keyfleet + " kek verify --local --provider 'simulated:keys?latency=30s'",
            ProcessBuilder.Redirect.DISCARD,
            folder.resolve("err"));
    try {
      assertTrue(becomesJava(process), "pid " + process.pid() + " did not become java");
    } finally {
      process.destroyForcibly();
    }
  }

  private static boolean becomesJava(Process process) {
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
    Path root = Checkout.root();
    return new Shell(folder, Map.of())
        .run("here=%s; . $here/tools/toolchain.sh; %s".formatted(root, commands));
  }

  @Test
  void noJdk_isOneSentenceAndARemedy() {
    Shell.Result result = toolchain("is_jdk() { return 1; }; find_jdk");
    assertEquals(1, result.exit());
    assertEquals(2, result.err().size(), result.err().toString());
    assertTrue(result.err().getFirst().startsWith("keyfleet: needs a JDK of 25 or newer"));
    assertTrue(result.err().getLast().startsWith("Try: install one"));
  }

  @Test
  void jdk_isKnownByItsReleaseFile() throws IOException {
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
        result.err().getFirst().contains("is not the one that was published"),
        result.err().toString());
  }
}
