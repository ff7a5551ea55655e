package keyfleet.kms.state;

/// Why a call is refused: a kind, and one sentence that contains no secret.
public record CallRefusal(Kind kind, String message) {
  public enum Kind {
    /// The request is invalid, or its ciphertext is not of this plugin's keyring.
    INVALID_REQUEST,
    /// An operator has to do something first.
    ACTION_REQUIRED,
    /// The failure is temporary; a later call may succeed.
    UNAVAILABLE,
    /// A limit is reached.
    LIMIT_REACHED,
    /// A bug. The plugin's log names its place.
    UNEXPECTED_FAILURE
  }

  public static final CallRefusal LOCAL_KEK_EXHAUSTED =
      new CallRefusal(
          Kind.LIMIT_REACHED,
          "the local KEK has reached its limit and no new one could be made because the key"
              + " provider does not answer");

  public static final CallRefusal LOCAL_KEK_UNUSABLE =
      new CallRefusal(
          Kind.UNAVAILABLE, "the local KEK in memory no longer works; making another one");

  public static CallRefusal invalidRequest(String sentence) {
    return new CallRefusal(Kind.INVALID_REQUEST, sentence);
  }

  public static CallRefusal unavailable(String sentence) {
    return new CallRefusal(Kind.UNAVAILABLE, sentence);
  }

  public static CallRefusal actionRequired(String sentence) {
    return new CallRefusal(Kind.ACTION_REQUIRED, sentence);
  }
}
