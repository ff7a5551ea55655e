package keyfleet.kms;

/// Why a call gets no answer, in one sentence without any secret.
record Refusal(Kind kind, String sentence) {
  enum Kind {
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

  static Refusal badCall(String sentence) {
    return new Refusal(Kind.BAD_CALL, sentence);
  }

  static Refusal notNow(String sentence) {
    return new Refusal(Kind.NOT_NOW, sentence);
  }

  static Refusal notAllowed(String sentence) {
    return new Refusal(Kind.NOT_ALLOWED, sentence);
  }
}
