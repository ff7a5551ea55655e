package keyfleet.keyring;

import static keyfleet.keyring.KeyringFixtures.keystore;
import static keyfleet.keyring.KeyringFixtures.requireAccepted;
import static keyfleet.keyring.KeyringFixtures.startRequest;
import static keyfleet.keyring.KeyringFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import java.util.TreeSet;
import keyfleet.keyring.ProcessAdmission.Admitted;
import keyfleet.keyring.ProcessAdmission.ReadOnly;
import org.junit.jupiter.api.Test;

class ProcessAdmissionTest {
  @Test
  void announcedVersion_isNotNeededYet() {
    assertEquals(new Admitted(), ProcessAdmission.of(keystore(), Set.of(v(1))));
  }

  @Test
  void stagedVersion_isNeededAtOnce() {
    Keystore staged = requireAccepted(keystore().decide(startRequest(1, 2)));
    assertEquals(
        new ReadOnly(new TreeSet<>(Set.of(v(2)))), ProcessAdmission.of(staged, Set.of(v(1))));
    assertEquals(new Admitted(), ProcessAdmission.of(staged, Set.of(v(1), v(2))));
  }

  @Test
  void processWithoutAnyKey_readsOnly() {
    assertEquals(
        new ReadOnly(new TreeSet<>(Set.of(v(1)))), ProcessAdmission.of(keystore(), Set.of()));
  }
}
