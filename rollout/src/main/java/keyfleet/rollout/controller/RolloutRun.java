package keyfleet.rollout.controller;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.NodeId;

/// A rollout with what its driver knows, whatever its state.
public record RolloutRun(
    RolloutSpec spec, DriverClaim lead, RolloutProgress ledger, DriverView outlook) {
  /// A new rollout, or one read from a store by a process that does not drive it yet.
  public static RolloutRun of(RolloutSpec spec, DriverClaim lead, RolloutProgress ledger) {
    return new RolloutRun(spec, lead, ledger, DriverView.blank(Duration.ZERO));
  }

  /// The same stored rollout with this driver's own memory.
  public RolloutRun remembering(DriverView kept) {
    return new RolloutRun(spec, lead, ledger, kept);
  }

  /// The present nodes that may start according to the decisions so far, and whose status is
  /// therefore checked again as in preflight (R16).
  public Set<NodeId> candidates(Set<NodeId> present) {
    Set<NodeId> decided = spec.decided();
    if (ledger.passed() < spec.batches()) {
      spec.batch(ledger.passed()).forEach(decided::remove);
    }
    return present.stream()
        .filter(node -> {
          NodeEntry place = ledger.places().get(node);
          return place == null ? !decided.contains(node) : place.standing().mayBegin();
        })
        .collect(Collectors.toSet());
  }

  /// A driver takes over. This fails no node (I1): the ledger stays, and every wait starts again.
  RolloutRun led(DriverClaim next, Duration now) {
    return lead.epoch() < next.epoch()
        ? new RolloutRun(spec, next, ledger, DriverView.blank(now))
        : this;
  }

  /// A rollout that is over waits for nothing.
  RolloutRun over() {
    return of(spec, lead, ledger);
  }
}
