package keyfleet.keyring;

import static keyfleet.keyring.Fixtures.keystore;
import static keyfleet.keyring.Fixtures.next;
import static keyfleet.keyring.Fixtures.start;
import static keyfleet.keyring.Fixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.keyring.Admission.Admitted;
import keyfleet.keyring.Admission.ReadOnly;
import keyfleet.keyring.SafeHold.Mark;
import org.junit.jupiter.api.Test;

class AdmissionTest {
  @Test
  void announcedVersion_isNotNeededYet() {
    assertEquals(new Admitted(), Admission.of(keystore(), Set.of(v(1))));
  }

  @Test
  void stagedVersion_isNeededAtOnce() {
    Keystore staged = next(keystore().decide(start(1, 2)));
    assertEquals(new ReadOnly(new TreeSet<>(Set.of(v(2)))), Admission.of(staged, Set.of(v(1))));
    assertEquals(new Admitted(), Admission.of(staged, Set.of(v(1), v(2))));
  }

  @Test
  void processWithoutAnyKey_readsOnly() {
    assertEquals(new ReadOnly(new TreeSet<>(Set.of(v(1)))), Admission.of(keystore(), Set.of()));
  }

  @Test
  void keystoreBehindAFence_isHeld() {
    assertEquals(
        Optional.of("orders was fenced in epoch 2, and the keystore is in 1"),
        SafeHold.check(keystore(), Map.of("orders", new Mark(1, 2))).map(SafeHold::reason));
  }

  @Test
  void keystoreMadeAnew_isHeld() {
    assertEquals(
        Optional.of("orders was fenced by another keystore"),
        SafeHold.check(keystore(), Map.of("orders", new Mark(0, 1))).map(SafeHold::reason));
  }

  @Test
  void keystoreThatIsNotBehind_isNotHeld() {
    assertEquals(Optional.empty(), SafeHold.check(keystore(), Map.of("orders", new Mark(1, 1))));
  }
}
