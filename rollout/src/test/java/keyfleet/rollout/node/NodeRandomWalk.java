package keyfleet.rollout.node;

import static keyfleet.rollout.node.NodeFixtures.NEW;
import static keyfleet.rollout.node.NodeFixtures.NEWER;
import static keyfleet.rollout.node.NodeFixtures.OLD;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.Task;
import keyfleet.rollout.node.Node.Confirmed;
import keyfleet.rollout.node.Node.Ended;
import keyfleet.rollout.node.Node.Soaked;
import keyfleet.rollout.node.Node.Soaking;
import keyfleet.rollout.node.Node.Tasked;
import keyfleet.rollout.node.Node.Unconfirmed;
import keyfleet.rollout.node.NodeEvent.AttemptId;
import keyfleet.rollout.node.NodeEvent.FetchFailed;
import keyfleet.rollout.node.NodeEvent.Fetched;
import keyfleet.rollout.node.NodeEvent.OrderReceived;
import keyfleet.rollout.node.NodeEvent.Probed;
import keyfleet.rollout.node.NodeEvent.RulesChecked;
import keyfleet.rollout.node.NodeEvent.Swapped;
import keyfleet.rollout.node.NodeEvent.Ticked;
import keyfleet.rollout.node.NodeEvent.Undone;
import keyfleet.rollout.node.ProbeResult.State;
import keyfleet.rollout.node.SoakHealth.StoreLink;
import keyfleet.rollout.release.ReleaseVerdict.Acceptable;

/// A random walk of one node, with a second and simpler model of what really runs, what was ordered
/// and how long the software was seen ready. A difference between the two means that a rule is
/// broken.
final class NodeRandomWalk {
  private static final List<Goal> FORWARD = List.of(Goal.STAGED, Goal.APPLIED, Goal.CONFIRMED);

  private final Random random;
  private final String name;
  private final Set<String> taken;
  private Node node = NodeFixtures.idle();
  private ClockReading now = new ClockReading("boot0", 0, Instant.EPOCH);
  private JournalEntry journal = new JournalEntry(node, now);

  private Sha256 running = OLD;
  private Sha256 confirmed = OLD;
  private Sha256 previous = OLD;
  private final Map<AttemptId, Integer> swaps = new HashMap<>();
  private final Set<AttemptId> accepted = new HashSet<>();
  private final Map<RolloutId, Long> turnedBack = new HashMap<>();
  private final Map<RolloutId, Long> epochs = new HashMap<>();
  private Instant deadline = Instant.MAX;
  private long ready;
  private long readyAt = Long.MIN_VALUE;
  private int restarts;
  private boolean failsOften;

  NodeRandomWalk(long seed, Set<String> taken) {
    this.random = new Random(seed);
    this.name = "seed " + seed;
    this.taken = taken;
  }

  void walk(int count) {
    for (int i = 0; i < count; i++) {
      advance(random.nextInt(12) == 0 ? random.nextInt(400) : random.nextInt(20));
      switch (random.nextInt(10)) {
        case 0, 1, 2, 3 -> apply(order());
        case 4 -> apply(new Ticked());
        case 5 -> apply(strayResult());
        case 6 -> crash();
        default -> act();
      }
    }
  }

  private void advance(long seconds) {
    now =
        new ClockReading(
            now.boot(),
            now.elapsed() + Duration.ofSeconds(seconds).toNanos(),
            now.wall().plusSeconds(seconds));
  }

  private void crash() {
    boolean reboot = random.nextBoolean();
    if (reboot) {
      now = new ClockReading(now.boot() + "+", random.nextInt(1000), now.wall());
      advance(random.nextInt(120));
    }
    node = journal.restore(now);
    readyAt = Long.MIN_VALUE;
    ready = 0;
    apply(new Ticked());
  }

  private OrderReceived order() {
    RolloutId rollout = new RolloutId("r" + (1 + random.nextInt(7) / 3));
    // Rarely from another rollout while one is in progress: the staged release would be discarded
    // before it runs.
    if (node instanceof Tasked tasked && random.nextInt(node instanceof Ended ? 4 : 24) > 0) {
      rollout = tasked.nodeTask().task().rollout();
    }
    int attempt = 1;
    if (node instanceof Tasked tasked && tasked.nodeTask().isFor(rollout)) {
      int change = random.nextInt(8) == 0 ? random.nextInt(3) - 1 : 0;
      attempt = Math.max(1, tasked.nodeTask().task().attempt() + change);
    }
    long epoch = epochs.getOrDefault(rollout, 1L) + (random.nextInt(6) == 0 ? 1 : 0);
    epoch = Math.max(1, epoch - (random.nextInt(6) == 0 ? 1 : 0));
    DriverClaim claim = new DriverClaim(epoch, random.nextInt(12) == 0 ? "rival" : "n" + epoch);
    Task task = NodeFixtures.task(rollout, attempt, releaseOf(rollout));
    return new OrderReceived(new DesiredState(task, goal(), claim, 1));
  }

  /// Two rollouts to releases of their own, and one to the release that already runs.
  private static Sha256 releaseOf(RolloutId rollout) {
    return switch (rollout.value()) {
      case "r1" -> NEW;
      case "r2" -> NEWER;
      default -> OLD;
    };
  }

  private Goal goal() {
    if (random.nextInt(12) == 0) {
      return random.nextBoolean() ? Goal.ROLLED_BACK : Goal.REVERTED;
    }
    return FORWARD.get(random.nextInt(3));
  }

  /// A result that the node does not wait for, or a repeated one; never one that claims an effect
  /// that this attempt still has to perform.
  private NodeEvent strayResult() {
    AttemptId attemptId =
        random.nextBoolean() ? NodeFixtures.attemptId(node) : new AttemptId(new RolloutId("r1"), 9);
    return random.nextBoolean()
        ? new Fetched(new AttemptId(attemptId.rollout(), 77), new Acceptable())
        : new Undone(new AttemptId(attemptId.rollout(), 78));
  }

  private void act() {
    switch (Node.nextAction(node)) {
      case NodeAction.Nothing _ -> {}
      case NodeAction.Download(var attemptId, _) -> apply(fetchResult(attemptId));
      case NodeAction.CheckRules(var attemptId, var release) ->
          apply(running.equals(release) ? new Swapped(attemptId) : ruleCheckResult(attemptId));
      case NodeAction.Swap(var attemptId, var release) -> swap(attemptId, release);
      case NodeAction.SwapBack(var attemptId, var release) -> swapBack(attemptId, release);
      case NodeAction.Discard(var attemptId, var release) -> discard(attemptId, release);
      case NodeAction.Probe _ -> probe();
    }
  }

  private NodeEvent fetchResult(AttemptId attemptId) {
    return switch (random.nextInt(8)) {
      case 0 -> new Fetched(attemptId, NodeFixtures.BAD);
      case 1 -> new FetchFailed(attemptId, "no route");
      default -> new Fetched(attemptId, new Acceptable());
    };
  }

  private NodeEvent ruleCheckResult(AttemptId attemptId) {
    boolean good = random.nextInt(8) > 0;
    if (good) {
      accepted.add(attemptId);
    }
    return new RulesChecked(attemptId, good ? new Acceptable() : NodeFixtures.BAD);
  }

  private void swap(AttemptId attemptId, Sha256 release) {
    assertTrue(accepted.contains(attemptId), name + ": I9, swapped without a rules check");
    if (!running.equals(release)) {
      assertEquals(
          1, swaps.merge(attemptId, 1, Integer::sum), name + ": I2, swapped twice in " + attemptId);
    }
    running = release;
    if (random.nextInt(5) > 0) { // else it crashes before it knows
      apply(new Swapped(attemptId));
    } else {
      crash();
    }
  }

  private void swapBack(AttemptId attemptId, Sha256 release) {
    boolean reverting = Node.runningRelease(node).equals(confirmed) && running.equals(confirmed);
    assertTrue(
        release.equals(confirmed) || (reverting && release.equals(previous)),
        name + ": I8, back to " + release);
    confirmed = release;
    running = release;
    apply(new Undone(attemptId));
  }

  private void discard(AttemptId attemptId, Sha256 release) {
    assertTrue(
        !List.of(running, confirmed, previous).contains(release), name + ": R8, lost " + release);
    apply(new Undone(attemptId));
  }

  private void probe() {
    restarts += random.nextInt(40) == 0 ? 1 : 0;
    boolean unready = random.nextInt(1 << 4) == 0 || (failsOften && random.nextInt(4) > 0);
    State state = unready ? State.NOT_READY : State.READY;
    StoreLink link = random.nextInt(10) == 0 ? StoreLink.CUT_OFF : StoreLink.CONNECTED;
    int before = node instanceof Soaking s ? s.soakHealth().restarts() : restarts;
    if (restarts != before || (state == State.NOT_READY && link == StoreLink.CONNECTED)) {
      ready = 0;
      readyAt = Long.MIN_VALUE;
    }
    if (link == StoreLink.CONNECTED && state == State.READY) {
      long gap = readyAt == Long.MIN_VALUE ? 0 : now.elapsed() - readyAt;
      ready += Math.min(gap, SoakHealth.LONGEST_GAP.toNanos());
      readyAt = now.elapsed();
    } else {
      readyAt = Long.MIN_VALUE;
    }
    apply(new Probed(new ProbeResult(state, restarts), link));
  }

  private void apply(NodeEvent event) {
    Node before = node;
    node = Node.next(before, event, now.elapsed());
    String where = name + ": " + before + "\n  " + event + "\n  " + node;
    assertEquals(node, Node.next(node, event, now.elapsed()), where + "\n  redelivered");
    boolean overdue = !now.wall().isBefore(deadline);
    recordEdge(before, event, overdue);
    checkTransition(before, event, where);
    if (node instanceof Unconfirmed && !(before instanceof Unconfirmed)) {
      deadline = now.wall().plus(NodeFixtures.DEADLINE);
    }
    if (!(node instanceof Unconfirmed)) {
      deadline = Instant.MAX;
    }
    assertTrue(now.wall().isBefore(deadline), where + "\n  I4, P8: overdue");
    checkClocks(where);
    save();
  }

  /// Writes state that the journal does not have before anything else happens.
  private void save() {
    if (!journal.isUpToDate(node)) {
      journal = new JournalEntry(node, now);
      Node same = journal.restore(now);
      assertEquals(NodeFixtures.name(node), NodeFixtures.name(same), name + ": round trip");
      assertEquals(Node.report(node), Node.report(same), name + ": round trip");
    }
  }

  private void checkTransition(Node before, NodeEvent event, String where) {
    if (!(node instanceof Tasked tasked)) {
      return;
    }
    RolloutId rollout = tasked.nodeTask().task().rollout();
    long epoch = tasked.nodeTask().claim().epoch();
    assertTrue(epoch >= epochs.getOrDefault(rollout, 0L), where + "\n  R2: a lower claim");
    epochs.put(rollout, epoch);
    if (isForward(before, node)) {
      assertTrue(!turnedBack.containsKey(rollout), where + "\n  I3: forward after an abort");
    }
    if (event instanceof OrderReceived(DesiredState order)
        && !order.goal().isForward()
        && order.task().rollout().equals(rollout)
        && order.claim().equals(tasked.nodeTask().claim())) {
      turnedBack.put(rollout, epoch);
    }
    if (node instanceof Soaked && before instanceof Soaking) {
      assertTrue(ready >= NodeFixtures.SOAK.toNanos(), where + "\n  I5: soaked only " + ready);
    }
    if (node instanceof Soaking && !(before instanceof Soaking)) {
      ready = 0;
      readyAt = Long.MIN_VALUE;
      restarts = 0;
      failsOften = random.nextInt(4) == 0;
    }
    if (node instanceof Soaked && !(before instanceof Soaked)) {
      failsOften = random.nextInt(4) == 0;
    }
    if (node instanceof Confirmed && before instanceof Soaked) {
      previous = confirmed;
      confirmed = running;
    }
    assertEquals(confirmed, node.baseline().confirmed(), where);
  }

  private static boolean isForward(Node before, Node after) {
    return rank(after) > 0
        && (rank(after) > rank(before) || after instanceof Node.Preparing)
        && !after.getClass().equals(before.getClass());
  }

  private static int rank(Node node) {
    return switch (node) {
      case Node.Preparing _ -> 1;
      case Node.Staged _ -> 2;
      case Node.Applying _ -> 3;
      case Soaking _ -> 4;
      case Soaked _ -> 5;
      case Node.Idle _, Node.RollingBack _, Node.Ended _ -> 0;
    };
  }

  private void checkClocks(String where) {
    long far = now.elapsed() + Duration.ofDays(1).toNanos();
    boolean timed = !Node.next(node, new Ticked(), far).equals(node);
    assertEquals(timed, Node.wakeAt(node).isPresent(), where + "\n  wakeAt");
    assertEquals(node, Node.next(node, new Ticked(), now.elapsed()), where + "\n  a tick too many");
    Sha256 reported = Node.report(node).map(NodeReport::running).orElse(OLD);
    if (!(node instanceof Node.Applying || node instanceof Node.RollingBack)) {
      assertEquals(running, reported, where + "\n  what runs");
    }
  }

  /// Only steps within one rollout are drawn, because any rollout may follow any other.
  private void recordEdge(Node before, NodeEvent event, boolean overdue) {
    boolean same =
        !(before instanceof Tasked taskBefore)
            || (node instanceof Tasked taskAfter
                && taskAfter.nodeTask().isFor(taskBefore.nodeTask().task().rollout()));
    if (same && !before.getClass().equals(node.getClass())) {
      String label = overdue ? "OVERDUE" : label(before, event);
      taken.add(NodeFixtures.name(before) + " " + label + " " + NodeFixtures.name(node));
    }
  }

  private static String label(Node before, NodeEvent event) {
    if (!(event instanceof OrderReceived(DesiredState order))) {
      return event.getClass().getSimpleName();
    }
    boolean another =
        before instanceof Tasked tasked && !tasked.nodeTask().isFor(order.task().rollout());
    return another ? "OTHER_ROLLOUT" : order.goal().name();
  }
}
