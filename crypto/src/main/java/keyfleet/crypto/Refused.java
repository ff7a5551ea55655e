package keyfleet.crypto;

/// The bytes are no envelope of this place, keyring and version, or were altered. Which of these is
/// never said: a precise answer would help only a forger.
public record Refused() implements OpenResult, RewrapResult {
  public static final String MESSAGE = "the envelope does not belong here or was altered";
}
