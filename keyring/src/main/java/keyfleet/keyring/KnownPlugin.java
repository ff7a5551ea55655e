package keyfleet.keyring;

/// A KMS plugin that was heard before. Its API server keeps storing what the plugin seals, whether
/// or not the plugin reaches the store, so a rotation does not start without it.
///
/// @param instance the name in its last heartbeat
public record KnownPlugin(Place place, String instance) {
  /// Where a plugin serves. A plugin that returns there under another name is the same plugin.
  ///
  /// @param host the control-plane node
  public record Place(String cluster, String host, String socket) {}
}
