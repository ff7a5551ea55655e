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

  /// Each of them ends before the limit of a test's process.
  private static final int MAX_WAITS = 10;

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

  /// The resident memory of a process in bytes: now, and at its highest since it started.
  private record Resident(long now, long highest) {
    static Resident of(TestProcess process) {
      try {
        List<String> lines = Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"));
        return new Resident(bytes(lines, "VmRSS:"), bytes(lines, "VmHWM:"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static long bytes(List<String> lines, String name) {
      return lines.stream()
          .filter(it -> it.startsWith(name))
          .mapToLong(it -> 1024 * Long.parseLong(it.replaceAll("\\D", "")))
          .findFirst()
          .orElseThrow();
    }

    @Override
    public String toString() {
      return "%d MB now, %d MB at its highest".formatted(now / MEGABYTE, highest / MEGABYTE);
    }
  }

  @Test
  @Timeout(420)
  void driverOfThreeRotations_staysSmall() {
    Resident resident = rotate(Kind.SQLITE.recordCount(), 3);
    assertTrue(resident.highest() <= MAX_RESIDENT, resident::toString);
  }

  /// `./dev soak memory` prints its line.
  @Test
  @Tag("soak")
  void driverOfTenRotations_staysSmall() {
    int records = Integer.getInteger("keyfleet.soak.records", 100_000);
    int rotations = Integer.getInteger("keyfleet.soak.rotations", 10);
    Resident resident = rotate(records, rotations);
    System.out.printf(
        "memory: keyfleet server after %d rotations of %,d records: %s (bar: %d MB)%n",
        rotations, records, resident, MAX_RESIDENT / MEGABYTE);
    assertTrue(resident.highest() <= MAX_RESIDENT, resident::toString);
  }

  private Resident rotate(int records, int rotations) {
    try (ProcessFleet fleet = new ProcessFleet(folder, Kind.SQLITE.open(folder), KeySource.FILE)) {
      List.of(ProcessFleet.OPERATOR, "loader", DRIVER).forEach(it -> fleet.giveKeys(it, 1));
      fleet.run(ProcessFleet.TIMINGS, "kek", "announce", "--version=1");
      fleet.runApplication("loader", "fill", "" + records);
      Map<String, String> environment = fleet.environment(DRIVER);
      try (TestProcess driver =
          TestProcess.startCommand(
              folder, DRIVER, environment, List.of(LAUNCHER.toString(), "server"))) {
        driver.awaitLine("listening on");
        for (int version = 1; version <= rotations; version++) {
          rotateOnce(fleet, driver, version);
        }
        return Resident.of(driver);
      }
    }
  }

  /// Starts the rotation, or waits for it if it is in progress.
  private static int waitForRotation(ProcessFleet fleet, int from, int to) {
    return fleet
        .run(
            "kek",
            "rotate",
            "--from-version=" + from,
            "--to-version=" + to,
            "--wait",
            "--timeout=60s")
        .exit();
  }

  private static void rotateOnce(ProcessFleet fleet, TestProcess driver, int version) {
    int next = version + 1;
    fleet.giveKeys(ProcessFleet.OPERATOR, next);
    fleet.giveKeys(DRIVER, next);
    fleet.run(0, "kek", "announce", "--version=" + next);
    Await.until(
        "the driver is ready",
        () -> fleet.run("kek", "verify", "--target=" + next).exit() == 0,
        driver::output);
    int exit = 2;
    for (int i = 0; i < MAX_WAITS && exit == 2; i++) {
      exit = waitForRotation(fleet, version, next);
    }
    assertEquals(0, exit, driver::output);
  }
}
