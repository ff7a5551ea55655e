package keyfleet.member;

import static keyfleet.member.MemberFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.SafeHold;
import keyfleet.keyring.Timings;
import org.junit.jupiter.api.Test;

class RemedyTest {
  @Test
  void everyState_hasASentenceAndARemedy() {
    List<MembershipState> all =
        List.of(
            new MembershipState.ReadOnly(
                MemberFixtures.keystore(new Rotation.Idle()), new TreeSet<>(Set.of(v(1), v(2)))),
            new MembershipState.InSafeHold(
                new SafeHold("orders", "orders was fenced by another keystore")),
            new MembershipState.NoKeystore(),
            new MembershipState.NameTaken("run-2"),
            new MembershipState.DifferentTimings(Timings.DEFAULT, Timings.DEFAULT),
            new MembershipState.NotJoined("it has not joined the fleet yet"));
    for (MembershipState state : all) {
      String sentence = Remedy.describe(state);
      String remedy = Remedy.of(KeyringName.MAIN, state);
      assertTrue(sentence.length() > 10 && !sentence.contains("Try:"), sentence);
      assertTrue(remedy.length() > 10 && !remedy.contains("\n"), remedy);
    }
    assertEquals(
        "set KEYFLEET_KEK_V1 to the fleet's bytes and restart the process;"
            + " place the fleet's main.v2.key in the key folder",
        Remedy.of(KeyringName.MAIN, all.getFirst()));
    assertEquals(
        "keyfleet kek hold show --keyring=archive",
        Remedy.of(new KeyringName("archive"), all.get(1)));
    assertEquals(
        "keyfleet kek announce --version=1 --keyring=archive",
        Remedy.of(new KeyringName("archive"), all.get(2)));
    assertEquals(
        "keyfleet kek announce --version=1 --use=kms",
        Remedy.of(new KeyringName("kms"), all.get(2)));
  }
}
