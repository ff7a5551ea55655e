package keyfleet.control.audit;

import keyfleet.crypto.KekVersion;

/// One fact that a change made different. An empty `before` or `after` means that the fact did not
/// exist then.
public record AuditChange(String name, String before, String after) {
  private static final String SECRET_PREFIX = "secret.";
  private static final String PROCESS_PREFIX = "process.";
  private static final String KEY_PREFIX = "key.";
  private static final String COLLECTION_PREFIX = "collection.";

  /// The change that a process is about to make to a secret. Secrets are not part of the keystore
  /// (ADR 12).
  public static AuditChange ofSecretIntent(String secret, String before, String after) {
    return new AuditChange(SECRET_PREFIX + secret, before, after);
  }

  /// A process that an operator is about to forget.
  public static AuditChange ofProcessIntent(String instance, String before) {
    return new AuditChange(PROCESS_PREFIX + instance, before, "");
  }

  /// A collection that an operator is about to unregister.
  public static AuditChange ofCollectionIntent(String collection, String before) {
    return new AuditChange(COLLECTION_PREFIX + collection, before, "");
  }

  /// A key that an operator is about to delete.
  public static AuditChange ofKeyIntent(KekVersion version, String before) {
    return new AuditChange(KEY_PREFIX + version, before, "");
  }

  public String text() {
    if (before.isEmpty()) {
      return name + ": " + after;
    }
    return name + ": " + before + " → " + (after.isEmpty() ? "none" : after);
  }
}
