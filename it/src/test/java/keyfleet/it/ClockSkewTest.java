package keyfleet.it;

import static keyfleet.it.Overseer.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import keyfleet.control.AuditVerdict;
import keyfleet.it.Fleet.Supply;
import keyfleet.it.FleetProcess.Program;
import keyfleet.it.Site.Kind;
import keyfleet.store.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Hosts whose clocks are five minutes ahead and behind: nobody is stale for it, and a rotation
/// goes as ever. `libfaketime` stands for them.
@Timeout(120)
class ClockSkewTest {
  private static final int RECORDS = 200;
  private static final Duration SKEW = Duration.ofMinutes(5);

  @TempDir Path folder = Path.of("");

  @Test
  void clocksTenMinutesApart_changeNothing() throws IOException {
    Path library = library();
    try (Fleet fleet = new Fleet(folder, Kind.POSTGRES.open(folder), Supply.ENV);
        Overseer overseer = overseer(fleet)) {
      FleetProcess app =
          fleet.start(
              "app",
              skewed(library, "-5m"),
              new Program(Clerk.class.getName(), "work", "0", "1", "" + RECORDS));
      app.awaitLine(Clerk.AT_WORK);
      FleetProcess ahead = fleet.server("worker-1", skewed(library, "+5m"));
      Instant said = Instant.parse(ahead.err().getLast().split(" ", 2)[0]);
      assertTrue(
          said.isAfter(Instant.now().plus(SKEW.dividedBy(2))), () -> "it is not ahead: " + said);
      fleet.run(0, "kek", "verify", "--target=2", "--min-processes=2", "--wait", "--timeout=30s");
      fleet.run(0, "kek", "rotate", "--from-version=1", "--to-version=2", "--wait", "--timeout=1m");
      fleet.run(0, "kek", "remove", "--version=1", "--yes");
      Document report = Fleet.reportOf(app);
      assertEquals(0, report.number("failed_reads"), app::said);
      assertEquals(0, report.number("wrong_reads"), app::said);
      assertEquals(Map.of(v(2), RECORDS + report.number("added")), overseer.carrying());
      assertInstanceOf(AuditVerdict.Intact.class, overseer.audit());
    }
  }

  private static Overseer overseer(Fleet fleet) {
    List.of(Fleet.OPERATOR, "loader", "app", "worker-1").forEach(it -> fleet.give(it, 1, 2));
    Overseer overseer = fleet.overseer();
    overseer.announce(1, Fleet.timings());
    fleet.report("loader", "load", "" + RECORDS);
    overseer.announce(2, Fleet.timings());
    return overseer;
  }

  /// The wall clock only: a JVM measures spans of time by another, which no operator sets.
  private static Map<String, String> skewed(Path library, String skew) {
    return Map.of(
        "LD_PRELOAD",
        library.toString(),
        "FAKETIME",
        skew,
        "DONT_FAKE_MONOTONIC",
        "1",
        "FAKETIME_DONT_FAKE_MONOTONIC",
        "1");
  }

  private static Path library() throws IOException {
    try (Stream<Path> folders = Files.list(Path.of("/usr/lib"))) {
      Optional<Path> found =
          folders
              .map(it -> it.resolve("faketime/libfaketimeMT.so.1"))
              .filter(Files::exists)
              .findFirst();
      assumeTrue(found.isPresent(), "no libfaketime: apt install faketime");
      return found.orElseThrow();
    }
  }
}
