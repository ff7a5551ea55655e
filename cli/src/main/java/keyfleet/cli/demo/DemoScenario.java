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

/// What the demonstration shows, and what it claims to have shown. Each claim is judged by what
/// came back, and every one must hold.
final class DemoScenario {
  private static final List<String> STAFF = List.of("worker-1", "worker-2", "scheduler", "shop");
  private static final String LATE = "worker-2";
  private static final String ORDERS = "3000";

  /// Slow enough that a person, or a signal, comes in between.
  private static final String RATE = "500";

  private static final int LOOKS = 240;
  private static final Duration LOOK = Duration.ofMillis(250);

  private final DemoFleet stage;
  private final PrintStream out;
  private final List<String> broken = new ArrayList<>();
  private int claims;

  DemoScenario(DemoFleet stage, PrintStream out) {
    this.stage = stage;
    this.out = out;
  }

  /// Returns the exit code.
  int play() {
    fleetOnVersionOne();
    laggardIsRefused();
    laggardIsMended();
    String killed = driverIsKilled();
    rotationEnds(killed);
    shopWasNotDisturbed();
    oldKeyIsRemoved();
    auditTells();
    out.println();
    out.println(
        broken.isEmpty()
            ? "All %d claims held.".formatted(claims)
            : "%d of %d claims did NOT hold:".formatted(broken.size(), claims));
    broken.forEach(it -> out.println("  " + it));
    return broken.isEmpty() ? ExitCode.OK : ExitCode.ERROR;
  }

  private void fleetOnVersionOne() {
    scene("A fleet of four processes on key version 1: two workers, a scheduler, a shop");
    shown("kek", "generate", "--version=1", "--provider", "file:keys/operator");
    shown("kek", "announce", "--version=1");
    for (String name : STAFF) {
      hand(1, name);
    }
    started("worker-1", "server", "--roles", "worker", "--rate", RATE);
    started("worker-2", "server", "--roles", "worker", "--rate", RATE);
    started("scheduler", "server", "--roles", "scheduler");
    started("shop", "demo-shop", "--orders", ORDERS);
    out.println("  (the shop writes and reads orders with a sealed card from here on)");
    CommandResult ready =
        shown(verify(1, "--min-processes=" + STAFF.size(), "--wait", "--timeout=60s"));
    claim("all four processes hold version 1", ready.exit() == ExitCode.OK);
  }

  private void laggardIsRefused() {
    scene("Version 2 reaches all but one of them, and the gate says which");
    shown("kek", "generate", "--version=2", "--provider", "file:keys/operator");
    STAFF.stream().filter(it -> !it.equals(LATE)).forEach(it -> hand(2, it));
    shown("kek", "announce", "--version=2");
    // The others need two heartbeats to prove it.
    awaited(() -> stage.run(verify(2, "-o", "json")), it -> laggards(it) == 1);
    CommandResult refused = shown(verify(2));
    List<String> named = refused.err().stream().filter(it -> it.startsWith("host=")).toList();
    String line = " pid=" + stage.pid(LATE) + " ";
    claim(
        "the gate names the one process that lacks version 2, and exits 2",
        refused.exit() == ExitCode.CONDITION_NOT_MET
            && named.size() == 1
            && named.getFirst().contains(line)
            && named.getFirst().endsWith("reason=missing"));
    CommandResult rotate = shown("kek", "rotate", "--from-version=1", "--to-version=2");
    claim("rotate refuses as well", rotate.exit() == ExitCode.CONDITION_NOT_MET);
  }

  private void laggardIsMended() {
    scene("It gets the key file, and needs no restart");
    hand(2, LATE);
    CommandResult ready = shown(verify(2, "--wait", "--timeout=60s"));
    claim("the fleet is ready for version 2", ready.exit() == ExitCode.OK);
  }

  private String driverIsKilled() {
    scene("A rotation under load, whose driver is killed half-way");
    CommandResult ordered = shown("kek", "rotate", "--from-version=1", "--to-version=2");
    claim("the rotation is ordered", ordered.exit() == ExitCode.OK);
    Document status = status(it -> number(it, "done") > 0 && isIn(it, "rewrapping"));
    String driver = text(status, "driver").replaceFirst("/.*", "");
    boolean isHalfWay = number(status, "done") < number(status, "total");
    out.println(
        "  (%d of %d orders are moved; %s drives)"
            .formatted(number(status, "done"), number(status, "total"), driver));
    boolean isWorker = driver.startsWith("worker-");
    if (isWorker) {
      out.println("$ kill -9 %d".formatted(stage.pid(driver)));
      stage.kill(driver);
    }
    claim("a worker was killed while it drove", isWorker && isHalfWay);
    return driver;
  }

  private void rotationEnds(String killed) {
    CommandResult end =
        shown("kek", "rotate", "--from-version=1", "--to-version=2", "--wait", "--timeout=90s");
    Document status = status(it -> !text(it, "state").equals("in_progress"));
    String driver = text(status, "driver").replaceFirst("/.*", "");
    claim("another worker took over, and completed it", isTakenOver(end, status, driver, killed));
    claim("no record failed", number(status, "failed_records") == 0);
  }

  private static boolean isTakenOver(
      CommandResult end, Document status, String driver, String killed) {
    return end.exit() == ExitCode.OK
        && text(status, "state").equals("completed")
        && driver.startsWith("worker-")
        && !driver.equals(killed);
  }

  private void shopWasNotDisturbed() {
    scene("What the shop saw of it");
    CommandResult shop = stage.stop("shop");
    Document said = parsed(shop.out());
    out.println(
        "  %d reads, %d writes, %d wrong %s"
            .formatted(
                number(said, "reads"),
                number(said, "writes"),
                number(said, "wrong"),
                text(said, "first_fault")));
    claim(
        "not one read or write of the shop went wrong",
        number(said, "reads") > 0 && number(said, "writes") > 0 && number(said, "wrong") == 0);
  }

  private void oldKeyIsRemoved() {
    scene("The old key is removed, with proof that nothing needs it");
    CommandResult counted = shown("kek", "inventory");
    claim(
        "no record needs version 1",
        counted.exit() == ExitCode.OK
            && counted.out().stream().noneMatch(it -> it.contains(" v1 ")));
    String[] remove = {"kek", "remove", "--version=1", "--yes"};
    CommandResult removed = shown(remove);
    if (removed.exit() == ExitCode.CONDITION_NOT_MET) {
      out.println("  (until the heartbeat of the killed worker has expired)");
      awaited(() -> stage.run(remove), it -> it.exit() == ExitCode.OK);
      removed = shown(remove);
    }
    claim("version 1 is disabled", removed.exit() == ExitCode.OK);
    out.println("$ rm keys/*/main.v1.key");
    stage.delete(1);
    Document checked = parsed(stage.run("demo-shop", "--check").out());
    long orders = number(checked, "orders");
    out.println("  %d of %d orders open".formatted(number(checked, "opened"), orders));
    claim(
        "every order opens without the bytes of version 1",
        orders >= Integer.parseInt(ORDERS) && number(checked, "opened") == orders);
  }

  private void auditTells() {
    scene("Who did what is written down, and chained");
    claim("the audit chain is intact", shown("audit", "verify").exit() == ExitCode.OK);
  }

  private static String[] verify(int target, String... more) {
    List<String> words = new ArrayList<>(List.of("kek", "verify", "--target=" + target));
    words.addAll(List.of(more));
    return words.toArray(String[]::new);
  }

  private Document status(Predicate<Document> wanted) {
    CommandResult last =
        awaited(
            () -> stage.run("kek", "status", "-o", "json"), it -> wanted.test(parsed(it.out())));
    return parsed(last.out());
  }

  private interface Poll {
    CommandResult ask();
  }

  /// What came back last: what was wanted, or what there was when time was up.
  private CommandResult awaited(Poll asking, Predicate<CommandResult> wanted) {
    CommandResult answer = asking.ask();
    for (int i = 0; i < LOOKS && !wanted.test(answer); i++) {
      stage.pause(LOOK);
      answer = asking.ask();
    }
    return answer;
  }

  private static long laggards(CommandResult answer) {
    Document report = parsed(answer.out());
    return report.has("laggards") ? report.documents("laggards").size() : 0;
  }

  private void scene(String words) {
    out.println();
    out.println("# " + words);
  }

  private CommandResult shown(String... words) {
    out.println("$ keyfleet " + String.join(" ", words));
    CommandResult answer = stage.run(words);
    answer.out().forEach(out::println);
    answer.err().forEach(out::println);
    return answer;
  }

  private void started(String name, String... words) {
    out.println(
        "$ KEYFLEET_INSTANCE=%s KEYFLEET_PROVIDER=file:keys/%s keyfleet %s &"
            .formatted(name, name, String.join(" ", words)));
    stage.start(name, words);
  }

  private void hand(int version, String name) {
    out.println("$ cp keys/operator/main.v%d.key keys/%s/".formatted(version, name));
    stage.hand(version, name);
  }

  private void claim(String words, boolean held) {
    claims++;
    out.println((held ? "[ok]   " : "[FAIL] ") + words);
    if (!held) {
      broken.add(words);
    }
  }

  private static boolean isIn(Document status, String phase) {
    return text(status, "phase").equals(phase);
  }

  private static String text(Document document, String field) {
    return document.has(field) ? document.text(field) : "";
  }

  private static long number(Document document, String field) {
    return document.has(field) ? document.number(field) : -1;
  }

  /// The last line; an empty document if it is none.
  private static Document parsed(List<String> lines) {
    try {
      return Document.parse(Value.of(lines.isEmpty() ? "{}" : lines.getLast()));
    } catch (MalformedValueException e) {
      return Document.builder().build();
    }
  }
}
