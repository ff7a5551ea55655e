package keyfleet.control;

import keyfleet.keyring.Event;
import keyfleet.keyring.Job;

/// What the audit calls an order or an event.
final class AuditWords {
  private AuditWords() {}

  static String of(Event event) {
    return switch (event) {
      case Event.StartOrdered order ->
          "%s %s to %s".formatted(verb(order.kind()), order.from(), order.to());
      case Event.PauseOrdered _ -> "pause";
      case Event.ResumeOrdered _ -> "resume";
      case Event.AbortOrdered _ -> "abort";
      case Event.Adopted adopted -> "taken over by " + adopted.driver();
      case Event.Unstaged _ -> "not begun";
      case Event.GatePassed _ -> "gate passed";
      case Event.Opened _ -> "fences opened";
      case Event.PassEnded _ -> "records rewrapped";
      case Event.Settled _ -> "settled";
      case Event.Fenced _ -> "fences closed";
      case Event.SweepEnded _ -> "records swept";
      case Event.LedgerStuck _ -> "records failed";
      case Event.LedgerMended _ -> "failed records mended";
      case Event.Straggled _ -> "records found under an old version";
      case Event.Proved _ -> "proved";
    };
  }

  private static String verb(Job.Kind kind) {
    return switch (kind) {
      case ROTATION -> "rotate";
      case REVOCATION -> "revoke";
      case DRY_RUN -> "rehearse";
    };
  }
}
