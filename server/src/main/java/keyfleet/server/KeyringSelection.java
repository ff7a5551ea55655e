package keyfleet.server;

import java.util.List;
import keyfleet.crypto.KeyringName;

/// The keyrings that a server serves.
///
/// @param named empty for all keyrings that exist, also those that are announced later
public record KeyringSelection(List<KeyringName> named) {
  public static final KeyringSelection ALL = new KeyringSelection(List.of());

  public KeyringSelection {
    named = named.stream().distinct().toList();
  }

  public static KeyringSelection of(KeyringName... named) {
    if (named.length == 0) {
      throw new IllegalArgumentException("a server serves at least one keyring");
    }
    return new KeyringSelection(List.of(named));
  }

  public boolean includes(KeyringName keyring) {
    return isAll() || named.contains(keyring);
  }

  boolean isAll() {
    return named.isEmpty();
  }

  /// Whether events must name their keyring.
  boolean hasSeveral() {
    return named.size() != 1;
  }
}
