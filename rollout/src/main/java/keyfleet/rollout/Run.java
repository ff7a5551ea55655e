package keyfleet.rollout;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;

/// A rollout in the hands of its driver, whatever its state.
public record Run(RolloutSpec spec, Lead lead, Ledger ledger, Outlook outlook) {
  /// As it is created, or read from a store by somebody who does not drive it yet.
  public static Run of(RolloutSpec spec, Lead lead, Ledger ledger) {
    return new Run(spec, lead, ledger, Outlook.blank(Duration.ZERO));
  }

  /// What is stored came from elsewhere, while this driver's own memory stays.
  public Run remembering(Outlook kept) {
    return new Run(spec, lead, ledger, kept);
  }

  /// Who of those that beat may begin, as far as is decided yet, and is therefore asked what
  /// preflight asked (R16).
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

  /// A driver takes over. Nobody fails by it (I1): the ledger stays, every wait begins anew.
  Run led(Lead next, Duration now) {
    return lead.epoch() < next.epoch() ? new Run(spec, next, ledger, Outlook.blank(now)) : this;
  }

  /// Once a rollout is over nobody waits for anything.
  Run over() {
    return of(spec, lead, ledger);
  }
}
