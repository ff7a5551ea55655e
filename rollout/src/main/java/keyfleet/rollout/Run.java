package keyfleet.rollout;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;

/// A rollout with what its driver knows, whatever its state.
public record Run(RolloutSpec spec, Lead lead, Ledger ledger, Outlook outlook) {
  /// A new rollout, or one read from a store by a process that does not drive it yet.
  public static Run of(RolloutSpec spec, Lead lead, Ledger ledger) {
    return new Run(spec, lead, ledger, Outlook.blank(Duration.ZERO));
  }

  /// The same stored rollout with this driver's own memory.
  public Run remembering(Outlook kept) {
    return new Run(spec, lead, ledger, kept);
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
          Place place = ledger.places().get(node);
          return place == null ? !decided.contains(node) : place.standing().mayBegin();
        })
        .collect(Collectors.toSet());
  }

  /// A driver takes over. This fails no node (I1): the ledger stays, and every wait starts again.
  Run led(Lead next, Duration now) {
    return lead.epoch() < next.epoch() ? new Run(spec, next, ledger, Outlook.blank(now)) : this;
  }

  /// A rollout that is over waits for nothing.
  Run over() {
    return of(spec, lead, ledger);
  }
}
