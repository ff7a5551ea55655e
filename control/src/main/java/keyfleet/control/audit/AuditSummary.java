package keyfleet.control.audit;

import keyfleet.keyring.RotationEvent;
import keyfleet.keyring.RotationJob;

/// The name of an operation or an event in the audit. Entries are stored and hashed with it, so the
/// texts never change.
public final class AuditSummary {
  /// A change that only ties writers' chains to the keystore's.
  static final String TIE = "tie the audit";

  private AuditSummary() {}

  public static String of(RotationEvent event) {
    return switch (event) {
      case RotationEvent.StartRequested request ->
          "%s %s to %s".formatted(verb(request.kind()), request.from(), request.to());
      case RotationEvent.PauseRequested _ -> "pause";
      case RotationEvent.ResumeRequested _ -> "resume";
      case RotationEvent.AbortRequested _ -> "abort";
      case RotationEvent.Adopted(_, String driver) ->
          driver.equals(RotationJob.NO_DRIVER)
              ? "given up by its driver"
              : "taken over by " + driver;
      case RotationEvent.Unstaged _ -> "not begun";
      case RotationEvent.GatePassed _ -> "gate passed";
      case RotationEvent.FencesOpened _ -> "fences opened";
      case RotationEvent.RewrapEnded _ -> "records rewrapped";
      case RotationEvent.Settled _ -> "settled";
      case RotationEvent.Fenced _ -> "fences closed";
      case RotationEvent.SweepEnded _ -> "records swept";
      case RotationEvent.RecordsBlocked _ -> "records failed";
      case RotationEvent.RecordsRepaired _ -> "failed records mended";
      case RotationEvent.OldRecordsFound _ -> "records found under an old version";
      case RotationEvent.Proved _ -> "proved";
    };
  }

  private static String verb(RotationJob.Kind kind) {
    return switch (kind) {
      case ROTATION -> "rotate";
      case REVOCATION -> "revoke";
      case DRY_RUN -> "rehearse";
    };
  }
}
