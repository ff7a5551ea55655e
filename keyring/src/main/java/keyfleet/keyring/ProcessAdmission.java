package keyfleet.keyring;

import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.crypto.KekVersion;

/// Whether a process that joins may seal.
///
/// The order matters as much as the answer: its heartbeat is acknowledged first, *then* it reads
/// the keystore. A gate stages the new version first, *then* lists the roster. So either the gate
/// sees the newcomer, or the newcomer sees the staged version.
public sealed interface ProcessAdmission {
  record Admitted() implements ProcessAdmission {}

  /// It may open what it can and must seal nothing: these versions are in use, and it has not
  /// proved them.
  record ReadOnly(NavigableSet<KekVersion> unproved) implements ProcessAdmission {}

  static ProcessAdmission of(Keystore keystore, Set<KekVersion> proved) {
    NavigableSet<KekVersion> unproved = new TreeSet<>();
    keystore
        .versions()
        .forEach((version, known) -> {
          if (known.state().isProofRequired() && !proved.contains(version)) {
            unproved.add(version);
          }
        });
    return unproved.isEmpty() ? new Admitted() : new ReadOnly(unproved);
  }
}
