package keyfleet.sim.explore;

import java.util.Set;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import org.jspecify.annotations.Nullable;

/// A plugin and its API server.
///
/// @param loaded the versions that it has loaded
/// @param shown the versions that its fresh heartbeat proves; empty if it has none
/// @param said what its fresh heartbeat says of its view; null if it has none
/// @param seed the version under which its API server writes
public record PluginState(
    Set<KekVersion> loaded,
    Set<KekVersion> shown,
    View view,
    @Nullable View said,
    KekVersion seed) {
  /// What the plugin announces, and the epoch of the keystore that it has adopted.
  public record View(KekVersion announced, long epoch) {}

  public PluginState {
    loaded = Set.copyOf(loaded);
    shown = Set.copyOf(shown);
  }

  /// A plugin of a fleet that has run for a while under the active version.
  static PluginState established(Keystore keystore) {
    Set<KekVersion> active = Set.of(keystore.active());
    View view = new View(keystore.active(), keystore.epoch());
    return new PluginState(active, active, view, view, keystore.active());
  }

  boolean isHeard() {
    return said != null;
  }

  /// Cut off, or paused, for longer than a heartbeat is fresh.
  PluginState silent() {
    return new PluginState(loaded, Set.of(), view, null, seed);
  }

  PluginState withLoaded(Set<KekVersion> versions) {
    return new PluginState(versions, shown, view, said, seed);
  }

  PluginState withHeartbeat() {
    return new PluginState(loaded, loaded, view, view, seed);
  }

  /// Adopts the keystore, and announces the active version if it can write under it.
  PluginState withKeystoreRead(Keystore keystore) {
    KekVersion announced =
        loaded.contains(keystore.active()) ? keystore.active() : view.announced();
    return new PluginState(loaded, shown, new View(announced, keystore.epoch()), said, seed);
  }

  /// After its API server has asked for the key_id.
  PluginState withPoll() {
    return new PluginState(loaded, shown, view, said, view.announced());
  }
}
