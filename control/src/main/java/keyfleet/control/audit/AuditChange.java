package keyfleet.control.audit;

/// One fact that a change made different. An empty `before` or `after` means that the fact did not
/// exist then.
public record AuditChange(String name, String before, String after) {
  private static final String SECRET_PREFIX = "secret.";

  /// The change that a process is about to make to a secret. Secrets are not part of the keystore
  /// (ADR 12).
  public static AuditChange ofSecretIntent(String secret, String before, String after) {
    return new AuditChange(SECRET_PREFIX + secret, before, after);
  }

  public String text() {
    if (before.isEmpty()) {
      return name + ": " + after;
    }
    return name + ": " + before + " → " + (after.isEmpty() ? "none" : after);
  }
}
