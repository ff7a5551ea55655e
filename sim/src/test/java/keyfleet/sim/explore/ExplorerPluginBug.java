package keyfleet.sim.explore;

import java.util.List;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KnownPlugin;
import keyfleet.keyring.Roster;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.RotationJob;

/// Bugs that an implementation of kms keyrings could have. Each overrides one rule of the protocol.
enum ExplorerPluginBug implements PluginProtocol {
  /// A plugin that is silent does not hold up a rotation.
  GATE_WITHOUT_PLUGINS {
    @Override
    public List<KnownPlugin> pluginsOfGate(List<KnownPlugin> known) {
      return List.of();
    }
  },

  /// A flip counts as settled after the time of a lease, which plugins do not have.
  SETTLED_BY_TIME {
    @Override
    public boolean isSettled(List<KnownPlugin> known, Roster roster, Keystore keystore) {
      return true;
    }
  },

  /// A proof covers only the version that the last rotation comes from.
  LAST_VERSION_PROVED {
    @Override
    public boolean isAttested(Keystore keystore, String cluster) {
      return Rotation.unfinishedJob(keystore.rotation())
          .map(RotationJob::from)
          .filter(from -> keystore.isAttested(from, cluster))
          .isPresent();
    }
  },

  /// A proof needs no operator.
  PROVED_UNASKED {
    @Override
    public boolean isAttested(Keystore keystore, String cluster) {
      return true;
    }
  }
}
