package keyfleet.control.audit;

/// Who changed something: a person or a service account, the host, and the process.
public record AuditActor(String user, String host, String instance) {
  /// Longer names are truncated: they come from outside, and an entry must fit into the store.
  static final int MAX_LENGTH = 256;

  public AuditActor {
    user = truncate(user);
    host = truncate(host);
    instance = truncate(instance);
  }

  /// For people: `user@host (instance)`.
  public String text() {
    return user + "@" + host + " (" + instance + ")";
  }

  /// Never splits a surrogate pair: half of one cannot be encoded.
  private static String truncate(String text) {
    if (text.length() <= MAX_LENGTH) {
      return text;
    }
    boolean splits = Character.isHighSurrogate(text.charAt(MAX_LENGTH - 1));
    return text.substring(0, splits ? MAX_LENGTH - 1 : MAX_LENGTH);
  }
}
