package keyfleet.rollout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/// The nodes of a run while one decision is made: the ledger and the driver's outlook together, to
/// be changed in place. [#run] is what came of it.
final class Muster {
  private final Run before;
  private final Duration now;
  private final Map<NodeId, Duration> since;
  private final TreeMap<NodeId, Place> places;
  private final List<Exclusion> excluded;
  private int passed;
  private int kept;
  private Duration batchSince;

  Muster(Run run, Duration now) {
    this.before = run;
    this.now = now;
    this.since = new HashMap<>(run.outlook().since());
    this.places = new TreeMap<>(run.ledger().places());
    this.excluded = new ArrayList<>(run.ledger().excluded());
    this.passed = run.ledger().passed();
    this.kept = run.ledger().kept();
    this.batchSince = run.outlook().batchSince();
    if (run.outlook().looked()) {
      // Whose step began under another driver waits in full under this one.
      places.keySet().forEach(node -> since.putIfAbsent(node, now));
    }
  }

  Run run() {
    since.keySet().retainAll(places.keySet());
    Outlook seen = before.outlook();
    Map<NodeId, NodeReport> reports = new HashMap<>(seen.reports());
    reports.keySet().retainAll(places.keySet());
    Outlook outlook =
        new Outlook(
            seen.looked(),
            seen.lookedAt(),
            seen.present(),
            reports,
            seen.candidates(),
            since,
            batchSince);
    return new Run(spec(), before.lead(), ledger(), outlook);
  }

  Ledger ledger() {
    return new Ledger(passed, kept, places, excluded);
  }

  RolloutSpec spec() {
    return before.spec();
  }

  int passed() {
    return passed;
  }

  int kept() {
    return kept;
  }

  boolean isPresent(NodeId node) {
    return before.outlook().present().contains(node);
  }

  /// Who beats and says what it is, by id.
  List<NodeStatus> candidates() {
    return before.outlook().candidates().values().stream()
        .filter(it -> isPresent(it.node()))
        .sorted(Comparator.comparing(NodeStatus::node))
        .toList();
  }

  /// What a node says of itself; nothing if it was not asked at the last look.
  Optional<NodeStatus> status(NodeId node) {
    return Optional.ofNullable(before.outlook().candidates().get(node));
  }

  /// Its turn came, and it does not get in.
  void exclude(NodeId node, Exclusion.Reason reason) {
    move(node, Standing.EXCLUDED);
    excluded.add(new Exclusion(node, reason));
  }

  /// Whether a wait of `length` for the node's step, or for it to come back, is over.
  boolean isOverdue(NodeId node, Duration length) {
    return now.compareTo(since.getOrDefault(node, now).plus(length)) >= 0;
  }

  boolean isBatchOlderThan(Duration length) {
    return now.compareTo(batchSince.plus(length)) >= 0;
  }

  /// A copy: places may be changed meanwhile.
  List<Entry<NodeId, Place>> listed() {
    return places.entrySet().stream().map(Map.Entry::copyOf).toList();
  }

  Optional<Place> place(NodeId node) {
    return Optional.ofNullable(places.get(node));
  }

  /// Whether nobody can try the release for the others any more (R14).
  boolean lacksCanaries() {
    return spec().isCanaries(passed)
        && spec().batch(passed).stream().map(this::standing).allMatch(Standing::isLeftOut);
  }

  /// Canaries for whom the others wait, and who do nothing: silent ones, and those given up.
  List<NodeId> idleCanaries() {
    return spec().isCanaries(passed)
        ? spec().batch(passed).stream().filter(this::isIdle).toList()
        : List.of();
  }

  private boolean isIdle(NodeId node) {
    Standing standing = standing(node);
    boolean expected = standing == Standing.PENDING || standing.isOpen();
    return standing == Standing.LOST || (expected && !isPresent(node));
  }

  Standing standing(NodeId node) {
    Place place = places.get(node);
    return place == null ? Standing.PENDING : place.standing();
  }

  /// What the node says of this rollout, in whichever attempt.
  Optional<NodeReport> report(NodeId node) {
    return Optional.ofNullable(before.outlook().reports().get(node));
  }

  /// What the node says of the attempt that it stands in.
  Optional<NodeReport> report(NodeId node, Place place) {
    return report(node).filter(it -> it.isOf(spec().id(), place.attempt()));
  }

  void put(NodeId node, Place place) {
    if (!place.equals(places.put(node, place))) {
      since.put(node, now);
    }
  }

  void move(NodeId node, Standing standing) {
    put(node, place(node).orElse(new Place(standing, spec().attempt())).in(standing));
  }

  long count(Predicate<Entry<NodeId, Place>> which) {
    return places.entrySet().stream().filter(which).count();
  }

  long count(Standing standing) {
    return count(it -> it.getValue().standing() == standing);
  }

  Set<NodeId> currentBatch() {
    return passed < spec().batches() ? new HashSet<>(spec().batch(passed)) : Set.of();
  }

  /// The batch is through: who took the usual way is listed no longer, who did not begin is.
  void pass() {
    for (NodeId node : spec().batch(passed)) {
      if (standing(node) == Standing.PENDING) {
        move(node, Standing.WAITING);
      }
      unlist(node, Standing.CONFIRMED);
    }
    passed++;
    kept++;
    batchSince = now;
  }

  /// The last batch that was kept is undone.
  void undo() {
    kept--;
    spec().batch(kept).forEach(node -> unlist(node, Standing.REVERTED));
  }

  /// Only who is in its first attempt can be found again by the batch alone.
  private void unlist(NodeId node, Standing usual) {
    places.remove(node, new Place(usual, spec().attempt()));
  }
}
