package keyfleet.cli.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import keyfleet.cli.demo.DemoFleet.CommandResult;
import keyfleet.cli.output.ExitCode;
import keyfleet.store.Document;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Value;

/// The script of the demonstration and its claims. Each claim is checked against the output of the
/// commands; the demonstration succeeds only if every claim holds.
final class DemoScenario {
  private static final List<String> PROCESSES =
      List.of("worker-1", "worker-2", "scheduler", "shop");
  private static final String LAGGARD = "worker-2";
  private static final String ORDERS = "3000";

  /// Slow enough to see the rotation, and to kill its driver half-way.
  private static final String RATE = "500";

  private static final int MAX_POLLS = 240;
  private static final Duration POLL_INTERVAL = Duration.ofMillis(250);

  private final DemoFleet fleet;
  private final PrintStream out;
  private final List<String> failedClaims = new ArrayList<>();
  private int claimCount;

  DemoScenario(DemoFleet fleet, PrintStream out) {
    this.fleet = fleet;
    this.out = out;
  }

  /// Returns the exit code.
  int run() {
    startFleetOnVersionOne();
    showLaggardRefused();
    fixLaggard();
    String killed = killDriver();
    awaitRotationEnd(killed);
    checkShopUndisturbed();
    removeOldKey();
    verifyAudit();
    out.println();
    out.println(
        failedClaims.isEmpty()
            ? "All %d claims held.".formatted(claimCount)
            : "%d of %d claims did NOT hold:".formatted(failedClaims.size(), claimCount));
    failedClaims.forEach(it -> out.println("  " + it));
    return failedClaims.isEmpty() ? ExitCode.OK : ExitCode.ERROR;
  }

  private void startFleetOnVersionOne() {
    printScene("A fleet of four processes on key version 1: two workers, a scheduler, a shop");
    runAndPrint("kek", "generate", "--version=1", "--provider", "file:keys/operator");
    runAndPrint("kek", "announce", "--version=1");
    for (String name : PROCESSES) {
      copyKey(1, name);
    }
    startProcess("worker-1", "server", "--roles", "worker", "--rate", RATE);
    startProcess("worker-2", "server", "--roles", "worker", "--rate", RATE);
    startProcess("scheduler", "server", "--roles", "scheduler");
    startProcess("shop", "demo-shop", "--orders", ORDERS);
    out.println("  (from now on the shop writes and reads orders with a sealed card number)");
    CommandResult ready =
        runAndPrint(
            verifyCommand(1, "--min-processes=" + PROCESSES.size(), "--wait", "--timeout=60s"));
    checkClaim("all four processes hold version 1", ready.exitCode() == ExitCode.OK);
  }

  private void showLaggardRefused() {
    printScene("Version 2 reaches all but one of them, and the gate names it");
    runAndPrint("kek", "generate", "--version=2", "--provider", "file:keys/operator");
    PROCESSES.stream().filter(it -> !it.equals(LAGGARD)).forEach(it -> copyKey(2, it));
    runAndPrint("kek", "announce", "--version=2");
    // The other processes need two heartbeats to prove the version.
    poll(() -> fleet.run(verifyCommand(2, "-o", "json")), it -> countLaggards(it) == 1);
    CommandResult refused = runAndPrint(verifyCommand(2));
    List<String> named = refused.err().stream().filter(it -> it.startsWith("host=")).toList();
    String line = " pid=" + fleet.pid(LAGGARD) + " ";
    checkClaim(
        "the gate names the one process that lacks version 2, and exits 2",
        refused.exitCode() == ExitCode.CONDITION_NOT_MET
            && named.size() == 1
            && named.getFirst().contains(line)
            && (named.getFirst() + " ").contains(" reason=missing "));
    CommandResult rotate = runAndPrint("kek", "rotate", "--from-version=1", "--to-version=2");
    checkClaim("kek rotate refuses too", rotate.exitCode() == ExitCode.CONDITION_NOT_MET);
  }

  private void fixLaggard() {
    printScene("The process gets the key file, and needs no restart");
    copyKey(2, LAGGARD);
    CommandResult ready = runAndPrint(verifyCommand(2, "--wait", "--timeout=60s"));
    checkClaim("the fleet is ready for version 2", ready.exitCode() == ExitCode.OK);
  }

  private String killDriver() {
    printScene("A rotation under load, whose driver is killed half-way");
    CommandResult started = runAndPrint("kek", "rotate", "--from-version=1", "--to-version=2");
    checkClaim("the rotation started", started.exitCode() == ExitCode.OK);
    Document status = awaitStatus(it -> number(it, "done") > 0 && isInPhase(it, "rewrapping"));
    String driver = text(status, "driver").replaceFirst("/.*", "");
    boolean isHalfWay = number(status, "done") < number(status, "total");
    out.println(
        "  (%d of %d orders have been moved; %s drives the rotation)"
            .formatted(number(status, "done"), number(status, "total"), driver));
    boolean isWorker = driver.startsWith("worker-");
    if (isWorker) {
      out.println("$ kill -9 %d".formatted(fleet.pid(driver)));
      fleet.kill(driver);
    }
    checkClaim("a worker was killed while it drove the rotation", isWorker && isHalfWay);
    return driver;
  }

  private void awaitRotationEnd(String killed) {
    CommandResult end =
        runAndPrint(
            "kek", "rotate", "--from-version=1", "--to-version=2", "--wait", "--timeout=90s");
    Document status = awaitStatus(it -> !text(it, "state").equals("in_progress"));
    String driver = text(status, "driver").replaceFirst("/.*", "");
    checkClaim(
        "another worker took over, and completed it", isTakenOver(end, status, driver, killed));
    checkClaim("no record failed", number(status, "failed_records") == 0);
  }

  private static boolean isTakenOver(
      CommandResult end, Document status, String driver, String killed) {
    return end.exitCode() == ExitCode.OK
        && text(status, "state").equals("completed")
        && driver.startsWith("worker-")
        && !driver.equals(killed);
  }

  private void checkShopUndisturbed() {
    printScene("What the shop noticed");
    CommandResult shop = fleet.stop("shop");
    Document result = parseLastLine(shop.out());
    out.println(
        "  %d reads, %d writes, %d wrong %s"
            .formatted(
                number(result, "reads"),
                number(result, "writes"),
                number(result, "wrong"),
                text(result, "first_fault")));
    checkClaim(
        "not one read or write of the shop went wrong",
        number(result, "reads") > 0
            && number(result, "writes") > 0
            && number(result, "wrong") == 0);
  }

  private void removeOldKey() {
    printScene("The old key is removed, with proof that nothing needs it");
    CommandResult counted = runAndPrint("kek", "inventory");
    checkClaim(
        "no record needs version 1",
        counted.exitCode() == ExitCode.OK
            && counted.out().stream().noneMatch(it -> it.contains(" v1 ")));
    String[] remove = {"kek", "remove", "--version=1", "--yes"};
    CommandResult removed = runAndPrint(remove);
    if (removed.exitCode() == ExitCode.CONDITION_NOT_MET) {
      out.println("  (waiting until the heartbeat of the killed worker expires)");
      poll(() -> fleet.run(remove), it -> it.exitCode() == ExitCode.OK);
      removed = runAndPrint(remove);
    }
    checkClaim("version 1 is disabled", removed.exitCode() == ExitCode.OK);
    out.println("$ rm keys/*/main.v1.key");
    fleet.deleteKey(1);
    Document checked = parseLastLine(fleet.run("demo-shop", "--check").out());
    long orders = number(checked, "orders");
    out.println("  %d of %d orders can be opened".formatted(number(checked, "opened"), orders));
    checkClaim(
        "every order opens without the key of version 1",
        orders >= Integer.parseInt(ORDERS) && number(checked, "opened") == orders);
  }

  private void verifyAudit() {
    printScene("The audit records who did what");
    checkClaim(
        "the audit chain is intact", runAndPrint("audit", "verify").exitCode() == ExitCode.OK);
  }

  private static String[] verifyCommand(int target, String... moreArguments) {
    List<String> arguments = new ArrayList<>(List.of("kek", "verify", "--target=" + target));
    arguments.addAll(List.of(moreArguments));
    return arguments.toArray(String[]::new);
  }

  private Document awaitStatus(Predicate<Document> wanted) {
    CommandResult last =
        poll(
            () -> fleet.run("kek", "status", "-o", "json"),
            it -> wanted.test(parseLastLine(it.out())));
    return parseLastLine(last.out());
  }

  private interface PolledCommand {
    CommandResult run();
  }

  /// Repeats the command until it has the wanted result or the time is up; returns the last result.
  private CommandResult poll(PolledCommand command, Predicate<CommandResult> wanted) {
    CommandResult result = command.run();
    for (int i = 0; i < MAX_POLLS && !wanted.test(result); i++) {
      fleet.pause(POLL_INTERVAL);
      result = command.run();
    }
    return result;
  }

  private static long countLaggards(CommandResult result) {
    Document report = parseLastLine(result.out());
    return report.has("laggards") ? report.documents("laggards").size() : 0;
  }

  private void printScene(String title) {
    out.println();
    out.println("# " + title);
  }

  private CommandResult runAndPrint(String... arguments) {
    out.println("$ keyfleet " + String.join(" ", arguments));
    CommandResult result = fleet.run(arguments);
    result.out().forEach(out::println);
    result.err().forEach(out::println);
    return result;
  }

  private void startProcess(String name, String... arguments) {
    out.println(
        "$ KEYFLEET_INSTANCE=%s KEYFLEET_PROVIDER=file:keys/%s keyfleet %s &"
            .formatted(name, name, String.join(" ", arguments)));
    fleet.start(name, arguments);
  }

  private void copyKey(int version, String name) {
    out.println("$ cp keys/operator/main.v%d.key keys/%s/".formatted(version, name));
    fleet.copyKey(version, name);
  }

  private void checkClaim(String claim, boolean isTrue) {
    claimCount++;
    out.println((isTrue ? "[ok]   " : "[FAIL] ") + claim);
    if (!isTrue) {
      failedClaims.add(claim);
    }
  }

  private static boolean isInPhase(Document status, String phase) {
    return text(status, "phase").equals(phase);
  }

  private static String text(Document document, String field) {
    return document.has(field) ? document.text(field) : "";
  }

  private static long number(Document document, String field) {
    return document.has(field) ? document.number(field) : -1;
  }

  /// Parses the last line; an empty document if it is not JSON.
  private static Document parseLastLine(List<String> lines) {
    try {
      return Document.parse(Value.of(lines.isEmpty() ? "{}" : lines.getLast()));
    } catch (MalformedValueException e) {
      return Document.builder().build();
    }
  }
}
