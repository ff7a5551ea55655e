package keyfleet.control.audit;

/// One thing that a change made different. What is empty was not there before, or is not there
/// after.
public record AuditChange(String name, String before, String after) {
  private static final String SECRET_PREFIX = "secret.";

  /// What somebody is about to make of a secret, which is no part of the keystore (ADR 12).
  public static AuditChange ofSecretIntent(String secret, String before, String after) {
    return new AuditChange(SECRET_PREFIX + secret, before, after);
  }

  /// Whether it speaks of the keystore: then it has happened, and can be replayed.
  boolean isKeystoreChange() {
    return !name.startsWith(SECRET_PREFIX);
  }

  public String text() {
    if (before.isEmpty()) {
      return name + ": " + after;
    }
    return name + ": " + before + " → " + (after.isEmpty() ? "none" : after);
  }
}
