package keyfleet.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import keyfleet.cli.command.CommandSession;
import keyfleet.control.Failpoints;
import keyfleet.control.rewrap.StoreConnections;
import keyfleet.control.rotation.CollectionCatalog;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.crypto.KeyfleetException;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.SafeHold;
import keyfleet.member.document.KeystoreStore;
import keyfleet.store.engine.StoreCheck;

/// Finds the keyrings of a store that are in a safe hold. A keyring without one is not mentioned.
record SafeHoldChecks(StoreConnections stores) {
  List<StoreCheck> run() {
    List<StoreCheck> checks = new ArrayList<>();
    try {
      for (KeyringName keyring : KeystoreStore.list(stores.kv()).keySet()) {
        catalogOf(keyring).findSafeHold().ifPresent(hold -> checks.add(toCheck(keyring, hold)));
      }
    } catch (KeyfleetException e) {
      checks.add(
          StoreCheck.warn(
              "whether a keyring is in a safe hold is unknown: " + e.getMessage(),
              "keyfleet keyring list"));
    }
    return checks;
  }

  private CollectionCatalog catalogOf(KeyringName keyring) {
    KeyringStore keyringStore =
        new KeyringStore(
            keyring,
            stores.kv(),
            () -> {
              throw new IllegalStateException("doctor writes no keystore");
            },
            Failpoints.NONE);
    return new CollectionCatalog(keyringStore, stores, Failpoints.NONE);
  }

  private static StoreCheck toCheck(KeyringName keyring, SafeHold hold) {
    return StoreCheck.fail(
        "keyring %s is in a safe hold, so nothing is sealed: %s".formatted(keyring, hold.reason()),
        CommandSession.holdRemedy(keyring));
  }
}
