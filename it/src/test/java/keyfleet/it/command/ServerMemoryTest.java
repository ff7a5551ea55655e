package keyfleet.it.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import keyfleet.it.architecture.Repository;
import keyfleet.it.process.Await;
import keyfleet.it.process.ProcessFleet;
import keyfleet.it.process.ProcessFleet.KeySource;
import keyfleet.it.process.Shell;
import keyfleet.it.process.TestProcess;
import keyfleet.it.process.TestStores.Kind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The memory of processes that the launcher starts.
class ServerMemoryTest {
  private static final long MEGABYTE = 1 << 20;
  private static final long MAX_RESIDENT = 250 * MEGABYTE;
  private static final String DRIVER = "driver-1";
  private static final Path LAUNCHER = Repository.root().resolve("keyfleet");

  @TempDir Path folder = Path.of("");

  @Test
  void everyProcess_hasAHeapThatFitsItsRole() {
    assertEquals(128 * MEGABYTE, maxHeapOf("server --help", ""));
    assertEquals(64 * MEGABYTE, maxHeapOf("kms-plugin --help", ""));
    assertEquals(256 * MEGABYTE, maxHeapOf("kek status --help", ""));
    assertEquals(256 * MEGABYTE, maxHeapOf("--version", ""));
    assertEquals(512 * MEGABYTE, maxHeapOf("server --help", "-Xmx512m"));
  }

  @Test
  void anotherJdk_hasTheSameLimits() throws IOException {
    Path jdk =
        Files.createSymbolicLink(folder.resolve("jdk"), Path.of(System.getProperty("java.home")));
    assertEquals(128 * MEGABYTE, maxHeapOf("server --help", "", jdk));
    assertEquals(64 * MEGABYTE, maxHeapOf("kms-plugin --help", "", jdk));
    assertEquals(256 * MEGABYTE, maxHeapOf("kek status --help", "", jdk));
  }

  private long maxHeapOf(String command, String options) {
    return maxHeapOf(command, options, Path.of(System.getenv().getOrDefault("JAVA_HOME", "")));
  }

  private long maxHeapOf(String command, String options, Path javaHome) {
    Map<String, String> environment = new HashMap<>();
    environment.put("KEYFLEET_JAVA_OPTS", options + " -XX:+PrintFlagsFinal");
    environment.put("JAVA_HOME", javaHome.toString());
    Shell.Result result = new Shell(folder, environment).run(LAUNCHER + " " + command);
    assertEquals(0, result.exit(), result::toString);
    return result.out().stream()
        .filter(it -> it.contains(" MaxHeapSize "))
        .mapToLong(it -> Long.parseLong(it.replaceAll("\\{.*", "").replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no MaxHeapSize in " + result));
  }

  @Test
  @Timeout(420)
  void driverOfThreeRotations_staysSmall() {
    long resident = rotate(Kind.SQLITE.recordCount(), 3);
    assertTrue(resident <= MAX_RESIDENT, () -> resident / MEGABYTE + " MB");
  }

  @Test
  @Tag("soak")
  void driverOfTenRotations_staysSmall() {
    long resident = rotate(100_000, 10);
    assertTrue(resident <= MAX_RESIDENT, () -> resident / MEGABYTE + " MB");
  }

  /// Returns the highest resident memory of the driver, in bytes.
  private long rotate(int records, int rotations) {
    try (ProcessFleet fleet = new ProcessFleet(folder, Kind.SQLITE.open(folder), KeySource.FILE)) {
      List.of(ProcessFleet.OPERATOR, "loader", DRIVER).forEach(it -> fleet.giveKeys(it, 1));
      fleet.run(ProcessFleet.TIMINGS, "kek", "announce", "--version=1");
      fleet.runApplication("loader", "load", "" + records);
      Map<String, String> environment = fleet.environment(DRIVER);
      try (TestProcess driver =
          TestProcess.startCommand(
              folder, DRIVER, environment, List.of(LAUNCHER.toString(), "server"))) {
        driver.awaitLine("listening on");
        long highest = 0;
        for (int version = 1; version <= rotations; version++) {
          highest = Math.max(highest, rotateOnce(fleet, driver, version));
        }
        return highest;
      }
    }
  }

  private static long rotateOnce(ProcessFleet fleet, TestProcess driver, int version) {
    int next = version + 1;
    fleet.giveKeys(ProcessFleet.OPERATOR, next);
    fleet.giveKeys(DRIVER, next);
    fleet.run(0, "kek", "announce", "--version=" + next);
    Await.until(
        "the driver is ready",
        () -> fleet.run("kek", "verify", "--target=" + next).exit() == 0,
        driver::output);
    fleet.run(0, "kek", "rotate", "--from-version=" + version, "--to-version=" + next);
    long[] highest = {0};
    Await.until(
        "the rotation is completed",
        () -> {
          highest[0] = Math.max(highest[0], resident(driver));
          return fleet.run(0, "kek", "status").out().stream()
              .anyMatch(it -> it.contains("state") && it.contains("completed"));
        },
        driver::output);
    return Math.max(highest[0], resident(driver));
  }

  private static long resident(TestProcess process) {
    try {
      return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
          .filter(it -> it.startsWith("VmRSS:"))
          .mapToLong(it -> 1024 * Long.parseLong(it.replaceAll("\\D", "")))
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
