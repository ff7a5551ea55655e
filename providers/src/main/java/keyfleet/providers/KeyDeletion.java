package keyfleet.providers;

import java.util.function.Supplier;

/// How the key of a version that is being destroyed goes away.
public sealed interface KeyDeletion {
  /// This process can delete it.
  ///
  /// @param key what is deleted, for the audit and for people
  /// @param delete deletes it, and says what it has done. Throws [ProviderException] or
  ///   [keyfleet.crypto.KekUnavailableException] if the key may still exist.
  record Possible(String key, Supplier<String> delete) implements KeyDeletion {}

  /// A person deletes it.
  ///
  /// @param instruction what to delete, and how
  record ByHand(String instruction) implements KeyDeletion {}
}
