package keyfleet.kms.state;

/// Why a call gets no answer, in one sentence without any secret.
public record CallRefusal(Kind kind, String sentence) {
  public enum Kind {
    /// The call itself is wrong, or was not made by this plugin's keyring.
    BAD_CALL,
    /// Nothing like the key_id was ever announced, as far as this plugin knows.
    UNKNOWN_KEY,
    /// A person has to do something first.
    NOT_ALLOWED,
    /// It mends itself, or a later call finds it mended.
    NOT_NOW,
    /// A limit is reached.
    SPENT
  }

  public static CallRefusal badCall(String sentence) {
    return new CallRefusal(Kind.BAD_CALL, sentence);
  }

  public static CallRefusal notNow(String sentence) {
    return new CallRefusal(Kind.NOT_NOW, sentence);
  }

  public static CallRefusal notAllowed(String sentence) {
    return new CallRefusal(Kind.NOT_ALLOWED, sentence);
  }
}
