package keyfleet.keyring;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// A KMS plugin that was heard before. Its API server keeps storing what the plugin seals, whether
/// or not the plugin reaches the store, so a rotation does not start without it.
///
/// @param instance the name in its last heartbeat
public record KnownPlugin(Place place, String instance) {
  /// Where a plugin serves. A plugin that returns there under another name is the same plugin.
  ///
  /// @param host the control-plane node
  public record Place(String cluster, String host, String socket) {}

  /// The plugins that do not announce the active version: they write under another one, or are not
  /// heard, so nothing is known of them.
  public static List<KnownPlugin> findBehind(
      List<KnownPlugin> plugins, Roster roster, Keystore keystore) {
    Set<String> announcing = new HashSet<>();
    for (Heartbeat heartbeat : roster.fresh(keystore.timings().fresh())) {
      if (heartbeat.epoch() >= keystore.epoch() && keystore.active().equals(heartbeat.current())) {
        announcing.add(heartbeat.instance());
      }
    }
    return plugins.stream().filter(it -> !announcing.contains(it.instance())).toList();
  }
}
