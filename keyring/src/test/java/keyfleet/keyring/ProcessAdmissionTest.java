package keyfleet.keyring;

import static keyfleet.keyring.KeyringFixtures.keystore;
import static keyfleet.keyring.KeyringFixtures.requireAccepted;
import static keyfleet.keyring.KeyringFixtures.startRequest;
import static keyfleet.keyring.KeyringFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.keyring.ProcessAdmission.Admitted;
import keyfleet.keyring.ProcessAdmission.ReadOnly;
import keyfleet.keyring.SafeHold.FenceMark;
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

  @Test
  void keystoreBehindAFence_isHeld() {
    assertEquals(
        Optional.of("orders was fenced in epoch 2, but the keystore is in epoch 1"),
        SafeHold.check(keystore(), Map.of("orders", new FenceMark(1, 2))).map(SafeHold::reason));
  }

  @Test
  void recreatedKeystore_isHeld() {
    assertEquals(
        Optional.of("orders was fenced by another keystore"),
        SafeHold.check(keystore(), Map.of("orders", new FenceMark(0, 1))).map(SafeHold::reason));
  }

  @Test
  void keystoreThatIsNotBehind_isNotHeld() {
    assertEquals(
        Optional.empty(), SafeHold.check(keystore(), Map.of("orders", new FenceMark(1, 1))));
  }
}
