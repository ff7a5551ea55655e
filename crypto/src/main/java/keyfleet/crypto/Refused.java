package keyfleet.crypto;

/// The bytes are no envelope of this location, keyring and version, or were altered. The answer
/// does not say which, because that would help a forger.
public record Refused() implements OpenResult, RewrapResult {
  public static final String MESSAGE = "the envelope does not belong here or was altered";
}
