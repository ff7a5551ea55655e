package keyfleet.crypto;

/// This process does not hold the version: normal while a new key is on its way to the fleet.
public record NoSuchVersion(KekVersion version) implements SealResult, OpenResult, RewrapResult {}
