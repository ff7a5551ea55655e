package keyfleet.crypto;

/// This process has not loaded the version. That is normal while a new key is being distributed.
public record NoSuchVersion(KekVersion version) implements SealResult, OpenResult, RewrapResult {}
