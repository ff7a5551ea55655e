package keyfleet.cli.kek;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.command.HostKeys.KeyHolder;
import keyfleet.cli.command.OperationReport;
import keyfleet.cli.output.Console;
import keyfleet.control.rotation.KeyringOperations.Contended;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.KeyringOperations.Unchanged;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyfleetException;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.VersionState;
import keyfleet.providers.KeyDeletion;

/// Deletes the key of a version that is being destroyed, from the providers of this host.
///
/// @param keystore in which the version is being destroyed, so that no removal check is left to do
record KeyDestroyer(
    CommandSession session, Console console, Keystore keystore, KekVersion version) {
  /// What was deleted, and why the version is not destroyed yet.
  record DestroyedKeys(List<String> deleted, List<String> remaining) {}

  DestroyedKeys run() {
    List<String> deleted = new ArrayList<>();
    List<String> remaining = new ArrayList<>(findProcesses());
    Set<KekVersion> kept = findKeptVersions();
    List<KeyHolder> holders = session.keys().findHolders(keystore, version);
    for (KeyHolder holder : holders) {
      delete(holder, kept, deleted, remaining);
    }
    if (!holders.isEmpty()) {
      session.keys().reload();
    }
    // A provider that cannot be read may have the key.
    session.keys().providerFaults().forEach(it -> remaining.add("this host cannot load " + it));
    return new DestroyedKeys(deleted, remaining);
  }

  private List<String> findProcesses() {
    List<String> processes = new ArrayList<>();
    for (Heartbeat heartbeat : session.keyringStore().readRoster(keystore.timings()).heartbeats()) {
      if (heartbeat.loadedVersions().containsKey(version)) {
        ProcessLine line = new ProcessLine(heartbeat);
        processes.add(line.name() + line.instanceSuffix() + " still holds its key");
      }
    }
    return processes;
  }

  private Set<KekVersion> findKeptVersions() {
    return keystore.versions().entrySet().stream()
        .filter(it -> isKept(it.getValue().state()))
        .map(it -> it.getKey())
        .collect(Collectors.toSet());
  }

  private static boolean isKept(VersionState state) {
    return switch (state) {
      case ANNOUNCED, STAGED, ACTIVE, DECRYPT_ONLY, DISABLED -> true;
      case WITHDRAWN, DESTROYING, DESTROYED -> false;
    };
  }

  private void delete(
      KeyHolder holder, Set<KekVersion> kept, List<String> deleted, List<String> remaining) {
    String subject = "provider " + holder.provider().name() + " of this host";
    if (!holder.isProved()) {
      remaining.add(
          "%s has a key of %s that does not prove to be the fleet's, and so is not deleted"
              .formatted(subject, version));
      return;
    }
    try {
      switch (holder.provider().prepareDeletion(version, kept)) {
        case KeyDeletion.ByHand(String instruction) ->
            remaining.add(subject + " still holds its key: " + instruction);
        case KeyDeletion.Possible possible -> delete(possible, deleted, remaining);
      }
    } catch (KeyfleetException e) {
      remaining.add("%s: %s; %s".formatted(subject, e.getMessage(), e.remedy()));
    }
  }

  private void delete(KeyDeletion.Possible key, List<String> deleted, List<String> remaining) {
    switch (session.removalOperations().writeDeletionIntent(version, key.key())) {
      case Done _ -> {
        String done = key.delete().get();
        deleted.add(done);
        console.printMessage(Console.sanitize(done));
      }
      case Contended _ -> throw OperationReport.contended(session.keyring());
      case Refused refused ->
          remaining.add(key.key() + " is not deleted without an audit: " + refused.reason());
      case Unchanged _ -> throw new IllegalStateException("an audit entry is always a change");
    }
  }
}
