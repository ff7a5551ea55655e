package keyfleet.control.audit;

/// Who changed something: a person or a service account, where, and as which process.
public record AuditActor(String user, String host, String instance) {
  /// What is longer is cut: the names come from outside, and an entry must fit into the store.
  static final int MAX_LENGTH = 256;

  public AuditActor {
    user = truncate(user);
    host = truncate(host);
    instance = truncate(instance);
  }

  /// Never within a pair of surrogates: half a letter cannot be written.
  private static String truncate(String text) {
    if (text.length() <= MAX_LENGTH) {
      return text;
    }
    boolean splits = Character.isHighSurrogate(text.charAt(MAX_LENGTH - 1));
    return text.substring(0, splits ? MAX_LENGTH - 1 : MAX_LENGTH);
  }
}
