package keyfleet.sim.explore;

import java.util.List;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision;
import keyfleet.keyring.KnownPlugin;
import keyfleet.keyring.Roster;
import keyfleet.keyring.RotationEvent;

/// What the deciding code of a kms keyring does. The defaults are correct; tests override one at a
/// time to plant a bug.
public interface PluginProtocol {
  PluginProtocol CORRECT = new PluginProtocol() {};

  /// The plugins that the gate waits for.
  default List<KnownPlugin> pluginsOfGate(List<KnownPlugin> known) {
    return known;
  }

  default boolean isSettled(List<KnownPlugin> known, Roster roster, Keystore keystore) {
    return KnownPlugin.findBehind(known, roster, keystore).isEmpty();
  }

  /// Whether operators have attested what a proof needs.
  default boolean isAttested(Keystore keystore, String cluster) {
    return keystore.decryptOnlyVersions().stream()
        .allMatch(version -> keystore.isAttested(version, cluster));
  }

  default KeystoreDecision decide(Keystore keystore, RotationEvent event) {
    return keystore.decide(event);
  }
}
