package keyfleet.store;

import org.jspecify.annotations.Nullable;

/// The store must not be used in its present state, or this process has no access. Retrying does
/// not help; the remedy does.
public final class StoreRefusedException extends StoreException {
  private static final long serialVersionUID = 1L;

  /// Why the store is refused.
  public enum Reason {
    /// The URL is wrong, or the server denies access: nothing is known about the store.
    NO_ACCESS,
    /// The store answers, and has no such table or collection.
    NO_COLLECTION,
    /// The store answers, but it may lose acknowledged writes, or it is not the expected store.
    UNSAFE
  }

  private final Reason reason;

  private StoreRefusedException(
      Reason reason, String sentence, String remedy, @Nullable Throwable cause) {
    super(sentence, remedy, cause);
    this.reason = reason;
  }

  /// The store is unsafe to use.
  public StoreRefusedException(String sentence, String remedy) {
    this(Reason.UNSAFE, sentence, remedy, null);
  }

  public StoreRefusedException(String sentence, String remedy, @Nullable Throwable cause) {
    this(Reason.UNSAFE, sentence, remedy, cause);
  }

  public static StoreRefusedException noCollection(String sentence, String remedy) {
    return new StoreRefusedException(Reason.NO_COLLECTION, sentence, remedy, null);
  }

  public static StoreRefusedException noAccess(String sentence, String remedy) {
    return noAccess(sentence, remedy, null);
  }

  public static StoreRefusedException noAccess(
      String sentence, String remedy, @Nullable Throwable cause) {
    return new StoreRefusedException(Reason.NO_ACCESS, sentence, remedy, cause);
  }

  /// A command that only reads met a place without a store.
  public static StoreRefusedException noStore(String place) {
    return noAccess(
        "there is no Keyfleet store at " + place,
        "check the name; if it is right, kek announce --version=1 creates the store");
  }

  public Reason reason() {
    return reason;
  }
}
