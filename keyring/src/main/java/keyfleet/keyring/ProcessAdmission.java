package keyfleet.keyring;

import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.crypto.KekVersion;

/// Whether a joining process may seal.
///
/// The order of steps matters as much as the answer. A process first gets its heartbeat
/// acknowledged, *then* reads the keystore. A gate first stages the new version, *then* lists the
/// roster. So either the gate sees the new process, or the new process sees the staged version.
public sealed interface ProcessAdmission {
  record Admitted() implements ProcessAdmission {}

  /// The process may open values but must not seal: these versions are in use, and it has not
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
