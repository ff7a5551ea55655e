package keyfleet.it.story;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.it.process.InProcessCommand;
import keyfleet.it.process.InProcessOperator;
import keyfleet.it.process.ProcessFleet;
import keyfleet.it.process.TestStores;
import keyfleet.it.process.TestStores.Kind;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionState;
import keyfleet.store.RacingThreads;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Many operators at once, each with its own connection to a real store: none of them fails because
/// of another.
@Timeout(240)
class ContentionTest {
  private static final int THREADS = 10;
  private static final int OPERATORS = 6;
  private static final int CHANGES = 2;

  /// Each command opens its own connections, which takes a PostgreSQL server much longer.
  private static int putCount(Kind kind) {
    return kind == Kind.SQLITE ? 200 : 60;
  }

  @TempDir Path folder = Path.of("");

  private static Map<String, String> environment(TestStores stores, int versions) {
    Map<String, String> environment = new HashMap<>(Map.of("KEYFLEET_STORE", stores.store()));
    for (int version = 1; version <= versions; version++) {
      environment.put("KEYFLEET_KEK_V" + version, ProcessFleet.key(version));
    }
    return environment;
  }

  /// Each withdraws other versions, but all of them change the same keystore.
  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "POSTGRES"})
  void parallelChangesOfAKeystore_allSucceed(Kind kind) {
    int versions = 1 + OPERATORS * CHANGES;
    try (TestStores stores = kind.open(folder);
        InProcessOperator first =
            new InProcessOperator(environment(stores, versions), Failpoints.NONE);
        RacingThreads threads = new RacingThreads(OPERATORS)) {
      IntStream.rangeClosed(1, versions).forEach(it -> first.announce(it, Timings.DEFAULT));
      var _ =
          threads.race(it -> {
            try (InProcessOperator operator =
                new InProcessOperator(environment(stores, versions), Failpoints.NONE)) {
              for (int i = 0; i < CHANGES; i++) {
                int version = 2 + it * CHANGES + i;
                InProcessOperator.requireDone(
                    operator.orders().withdraw(InProcessOperator.v(version)));
              }
            }
            return it;
          });
      assertEquals(
          OPERATORS * CHANGES,
          first.keystore().versions().values().stream()
              .filter(it -> it.state() == VersionState.WITHDRAWN)
              .count());
      assertInstanceOf(AuditVerdict.Intact.class, first.verifyAudit());
    }
  }

  /// Each put is a command of its own, as from another shell.
  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "POSTGRES"})
  void parallelPutsOfDifferentSecrets_allSucceed(Kind kind) {
    int puts = putCount(kind);
    try (TestStores stores = kind.open(folder);
        InProcessOperator first = new InProcessOperator(environment(stores, 1), Failpoints.NONE);
        RacingThreads threads = new RacingThreads(THREADS)) {
      first.announce(1, Timings.DEFAULT);
      List<List<String>> failures =
          threads.race(it -> {
            List<String> failed = new ArrayList<>();
            for (int i = it; i < puts; i += THREADS) {
              InProcessCommand put =
                  InProcessCommand.run(environment(stores, 1), "secret", "put", "n" + i);
              if (put.exitCode() != 0) {
                failed.add(put.exitCode() + " " + put.err());
              }
            }
            return failed;
          });
      assertEquals(List.of(), failures.stream().flatMap(List::stream).toList());
      InProcessCommand list =
          InProcessCommand.run(environment(stores, 1), "secret", "list", "-o", "json");
      assertEquals(puts, list.out().split("\"digest\"", -1).length - 1);
      assertInstanceOf(AuditVerdict.Intact.class, first.verifyAudit());
    }
  }
}
