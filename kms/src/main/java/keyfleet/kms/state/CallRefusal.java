package keyfleet.kms.state;

/// Why a call gets no answer, in one sentence without any secret.
public record CallRefusal(Kind kind, String message) {
  public enum Kind {
    /// The call itself is wrong, or was not made by this plugin's keyring.
    INVALID_REQUEST,
    /// Nothing like the key_id was ever announced, as far as this plugin knows.
    UNKNOWN_KEY,
    /// A person has to do something first.
    ACTION_REQUIRED,
    /// It mends itself, or a later call finds it mended.
    UNAVAILABLE,
    /// A limit is reached.
    LIMIT_REACHED
  }

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
