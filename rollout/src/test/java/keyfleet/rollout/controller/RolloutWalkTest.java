package keyfleet.rollout.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.controller.Rollout.Aborted;
import keyfleet.rollout.controller.Rollout.Completed;
import keyfleet.rollout.controller.Rollout.Paused;
import keyfleet.rollout.controller.Rollout.RolledBack;
import keyfleet.rollout.controller.Rollout.Rolling;
import keyfleet.rollout.controller.RolloutEvent.Claimed;
import keyfleet.rollout.controller.RolloutEvent.ForgetRequested;
import keyfleet.rollout.controller.RolloutEvent.NodeOccupied;
import keyfleet.rollout.controller.RolloutEvent.ResumeRequested;
import keyfleet.rollout.controller.RolloutEvent.RollbackRequested;
import keyfleet.rollout.controller.RolloutEvent.Ticked;
import keyfleet.rollout.plan.ExcludedNode;
import org.junit.jupiter.api.Test;

/// What holds after every step of a rollout whose nodes come and go, read late, fail and are cut
/// off, while drivers sleep and operators change their minds.
class RolloutWalkTest {
  private static final int WALKS = 2_000;
  private static final int STEPS = 300;
  private static final Pattern EDGE = Pattern.compile("/// (\\w+) +--(\\w+)-*> (\\w+).*");

  @Test
  void randomWalks_keepTheInvariantsAndTakeExactlyTheDocumentedEdges() throws IOException {
    Set<String> taken = new TreeSet<>();
    for (int seed = 0; seed < WALKS; seed++) {
      RolloutRandomWalk walk = new RolloutRandomWalk(seed);
      for (int step = 0; step < STEPS; step++) {
        Rollout before = walk.rollout();
        RolloutEvent event = walk.step();
        String where = "seed " + seed + ", step " + step + ": " + event;
        check(walk, before, event, where);
        if (before.getClass() != walk.rollout().getClass()) {
          taken.addAll(edges(name(before), event, name(walk.rollout())));
        }
      }
    }
    assertEquals(documentedEdges(), taken);
  }

  /// Other events that settle a rollout are drawn as an observation; a resumed rollout is Rolling
  /// first.
  private static Set<String> edges(String from, RolloutEvent event, String to) {
    return switch (event) {
      case ResumeRequested _ when !to.equals("Rolling") ->
          Set.of(from + " ResumeRequested Rolling", "Rolling Observed " + to);
      case Claimed _ when !from.equals("Created") -> Set.of(from + " Observed " + to);
      case Ticked _, NodeOccupied _, ForgetRequested _ -> Set.of(from + " Observed " + to);
      default -> Set.of(from + " " + name(event) + " " + to);
    };
  }

  private static String name(Object state) {
    return state.getClass().getSimpleName();
  }

  private static void check(
      RolloutRandomWalk walk, Rollout before, RolloutEvent event, String where) {
    Rollout after = walk.rollout();
    // A redelivered event changes nothing.
    assertEquals(after, Rollout.next(after, event, walk.now()), where);
    checkFailures(walk, before, event, where);
    checkBounds(walk, where);
    checkStops(walk, before, event, where);
    checkSets(before.run(), after.run(), where);
    // I11: the plan never changes.
    assertEquals(before.run().spec(), after.run().spec(), where);
  }

  /// I10: each node of the plan is in one set, and a late node stays in the rollout. R16, R17: a
  /// late node that is left out has a reason and gets no order.
  private static void checkSets(RolloutRun before, RolloutRun after, String where) {
    Set<NodeId> planned = RolloutProgress.EMPTY.progressByNode(after.spec()).keySet();
    Set<NodeId> all = after.progress().progressByNode(after.spec()).keySet();
    Set<NodeId> late = new HashSet<>(all);
    late.removeAll(planned);
    assertTrue(all.containsAll(planned), where);
    assertTrue(RolloutRandomWalk.lateNodeIds().containsAll(late), where);
    assertTrue(all.containsAll(before.progress().progressByNode(before.spec()).keySet()), where);
    Set<NodeId> out = new HashSet<>();
    after
        .progress()
        .entries()
        .forEach((node, entry) -> {
          if (entry.progress() == NodeProgress.EXCLUDED) {
            out.add(node);
          }
        });
    assertEquals(
        out,
        after.progress().excluded().stream().map(ExcludedNode::node).collect(Collectors.toSet()),
        where);
    assertEquals(out.size(), after.progress().excluded().size(), where);
  }

  /// I1, I7, R13, R14.
  private static void checkFailures(
      RolloutRandomWalk walk, Rollout before, RolloutEvent event, String where) {
    RolloutRun run = walk.rollout().run();
    if (event instanceof Claimed) {
      assertEquals(before.run().progress().failedNodes(), run.progress().failedNodes(), where);
    }
    Set<NodeId> failed = Set.copyOf(run.progress().failedNodes());
    assertEquals(run.progress().failedNodes().size(), failed.size(), where);
    assertTrue(walk.possiblyFailed().containsAll(failed), where + ": failed " + failed);
    if (walk.rollout() instanceof Rolling || walk.rollout() instanceof Paused) {
      assertFalse(
          run.spec().limits().maxFailed().isReached(run.progress().countFailures(run.spec())),
          where);
      checkBatch(run, failed, where);
      assertTrue(run.spec().plan().canaries().stream().noneMatch(failed::contains), where);
    }
  }

  /// R14, counted independently: a listed node of the current batch got an order.
  private static void checkBatch(RolloutRun run, Set<NodeId> failed, String where) {
    int passed = run.progress().passedBatches();
    if (passed == run.spec().batchCount()) {
      return;
    }
    long bad = run.spec().batch(passed).stream().filter(failed::contains).count();
    long ordered = run.spec().batch(passed).stream().filter(it -> isOrdered(run, it)).count();
    boolean tooMany =
        switch (run.spec().limits().maxFailedPerBatch()) {
          case FailureLimit.Nodes(int count) -> bad >= count;
          case FailureLimit.Percent(int percent) -> bad > 0 && bad * 100.0 / ordered >= percent;
          case FailureLimit.Unlimited _ -> false;
        };
    assertFalse(tooMany, where + ": failed nodes of the batch: " + bad + " of " + ordered);
  }

  private static boolean isOrdered(RolloutRun run, NodeId node) {
    NodeEntry entry = run.progress().entries().get(node);
    return entry != null
        && (entry.attempt() > 1
            || !Set.of(
                    NodeProgress.OCCUPIED,
                    NodeProgress.FORGOTTEN,
                    NodeProgress.EXCLUDED,
                    NodeProgress.WAITING)
                .contains(entry.progress()));
  }

  /// I6, P7.
  private static void checkBounds(RolloutRandomWalk walk, String where) {
    RolloutLimits limits = walk.rollout().run().spec().limits();
    assertTrue(
        walk.unconfirmed() <= limits.batchSize() + limits.maxUnavailable(),
        () -> where + ": unconfirmed " + walk.unconfirmed());
  }

  /// I3, and an ended rollout stays ended.
  private static void checkStops(
      RolloutRandomWalk walk, Rollout before, RolloutEvent event, String where) {
    boolean stopped = before instanceof Aborted || before instanceof RolledBack;
    if (stopped || before instanceof Completed) {
      boolean isFinal = before instanceof RolledBack || !(event instanceof RollbackRequested);
      assertTrue(!isFinal || walk.rollout().equals(before), where);
    }
    assertFalse(stopped && walk.hasSwapped(), where + ": forward after the end");
    if (Rollout.isEnded(walk.rollout()) && !(walk.rollout() instanceof Completed)) {
      Rollout.assignments(walk.rollout())
          .values()
          .forEach(
              it -> assertTrue(it.goal() == Goal.ROLLED_BACK || it.goal() == Goal.REVERTED, where));
    }
    if (walk.rollout() instanceof RolledBack) {
      assertEquals(Set.of(), walk.confirmed(), () -> where + walk.rollout().run().progress());
    }
  }

  /// The diagram of rollouts in the package's description.
  private static Set<String> documentedEdges() throws IOException {
    Set<String> edges = new TreeSet<>();
    for (String line :
        Files.readAllLines(
            Path.of("src/main/java/keyfleet/rollout/controller/package-info.java"))) {
      var edge = EDGE.matcher(line);
      if (edge.matches()) {
        edges.add(edge.group(1) + " " + edge.group(2) + " " + edge.group(3));
      }
    }
    return edges;
  }
}
