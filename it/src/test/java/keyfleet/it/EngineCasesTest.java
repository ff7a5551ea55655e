package keyfleet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Every engine runs every contract case that SQLite runs, or is exempt for a stated reason.
class EngineCasesTest {
  private enum Engine {
    SQLITE("sqlite", "Sqlite"),
    POSTGRES("postgres", "Postgres"),
    MONGODB("mongodb", "Mongo"),
    NATS("nats", "Nats");

    private final String module;
    private final String prefix;

    Engine(String module, String prefix) {
      this.module = module;
      this.prefix = prefix;
    }
  }

  /// A case that an engine does not have to run; `*` stands for all cases of a suite.
  private record Exemption(Engine engine, String name, String reason) {}

  private static final List<Exemption> EXEMPTIONS =
      List.of(
          new Exemption(Engine.NATS, "Records *", "NATS stores no records"),
          new Exemption(Engine.NATS, "Fence *", "NATS stores no records"),
          new Exemption(Engine.NATS, "EnvelopeScanner *", "NATS stores no records"));

  @Test
  void engines_runTheSameCases() throws IOException {
    Map<Engine, Set<String>> casesByEngine = new TreeMap<>();
    for (Engine engine : Engine.values()) {
      casesByEngine.put(engine, passedCases(engine));
    }
    assumeTrue(
        casesByEngine.values().stream().noneMatch(Set::isEmpty),
        () -> "some engine was not tested: " + casesByEngine);
    print(casesByEngine);
    assertEquals(List.of(), gaps(casesByEngine));
  }

  private static Set<String> passedCases(Engine engine) throws IOException {
    Set<String> cases = new TreeSet<>();
    for (String suite : List.of("Kv", "Records", "Fence", "EnvelopeScanner")) {
      String name = "keyfleet.%s.%s%sTest".formatted(engine.module, engine.prefix, suite);
      Path report =
          Path.of(
              System.getProperty("keyfleet.out", ""),
              "keyfleet-" + engine.module,
              "surefire-reports",
              "TEST-" + name + ".xml");
      if (Files.exists(report)) {
        cases.addAll(ContractCases.passedCases(report));
      }
    }
    return cases;
  }

  private static List<String> gaps(Map<Engine, Set<String>> casesByEngine) {
    List<String> gaps = new ArrayList<>();
    for (Engine engine : Engine.values()) {
      Set<String> missing = new TreeSet<>(casesByEngine.getOrDefault(Engine.SQLITE, Set.of()));
      missing.removeAll(casesByEngine.getOrDefault(engine, Set.of()));
      for (Exemption exemption : EXEMPTIONS) {
        if (exemption.engine() == engine && !missing.removeIf(it -> isExempt(exemption, it))) {
          gaps.add("%s needs no exemption from %s".formatted(engine, exemption.name()));
        }
      }
      missing.forEach(it -> gaps.add("%s did not run %s".formatted(engine, it)));
    }
    return gaps;
  }

  private static boolean isExempt(Exemption exemption, String name) {
    return exemption.name().endsWith("*")
        ? name.startsWith(exemption.name().substring(0, exemption.name().length() - 1))
        : name.equals(exemption.name());
  }

  private static void print(Map<Engine, Set<String>> casesByEngine) {
    System.out.printf("engines: %-9s", "");
    ContractCases.SUITES.forEach(suite -> System.out.printf("%16s", suite));
    System.out.println();
    casesByEngine.forEach((engine, cases) -> {
      System.out.printf("engines: %-9s", engine.name().toLowerCase(Locale.ROOT));
      for (String suite : ContractCases.SUITES) {
        System.out.printf("%16d", cases.stream().filter(it -> it.startsWith(suite + " ")).count());
      }
      System.out.println();
    });
    EXEMPTIONS.forEach(it ->
        System.out.printf(
            "engines: %s is exempt from %s: %s%n", it.engine(), it.name(), it.reason()));
  }
}
