package keyfleet.crypto;

/// The capability to read secret bytes. `ArchitectureTest` lists the few files that may ask for it,
/// so that a reviewer finds every place where a secret leaves its wrapper.
public final class SecretAccess {
  private static final SecretAccess GRANTED = new SecretAccess();

  private SecretAccess() {}

  public static SecretAccess granted() {
    return GRANTED;
  }
}
