package keyfleet.crypto;

/// The capability to read secret bytes. Asking for it is allowed to few files, which
/// `ArchitectureTest` lists, so that a reviewer finds every place where a secret leaves its
/// wrapper.
public final class SecretAccess {
  private static final SecretAccess GRANTED = new SecretAccess();

  private SecretAccess() {}

  public static SecretAccess granted() {
    return GRANTED;
  }
}
