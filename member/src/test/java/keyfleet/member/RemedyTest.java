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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RemedyTest {
  @ParameterizedTest
  @CsvSource({
    "env, main, set KEYFLEET_KEK_V2 to the fleet's bytes and restart the process",
    "env, card-data, set KEYFLEET_KEK_CARD_DATA_V2 to the fleet's bytes and restart the process",
    "file, main, place the fleet's main.v2.key in the key folder",
    "pkcs11, main, give the process the token that has the key keyfleet-main-v2",
    "vault, main, 'give the process a token whose policy allows version 2 of the keyring''s Transit"
        + " key, and keep the key''s min_decryption_version at or below it'",
    "awskms, card-data, 'give the process a role that may use the KMS key that"
        + " alias/keyfleet-card-data-v2 names, in its region'",
    "attic, main, give the process access to main v2 in attic"
  })
  void missingKey_isProvidedAsItsProviderNeeds(String provider, String keyring, String remedy) {
    assertEquals(remedy, Remedy.forMissingKey(provider, new KeyringName(keyring), v(2)));
  }

  @Test
  void everyStanding_hasASentenceAndARemedy() {
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
    for (MembershipState membershipState : all) {
      String sentence = Remedy.describe(membershipState);
      String remedy = Remedy.of(KeyringName.MAIN, membershipState);
      assertTrue(sentence.length() > 10 && !sentence.contains("Try:"), sentence);
      assertTrue(remedy.length() > 10 && !remedy.contains("\n"), remedy);
    }
    assertEquals(
        "set KEYFLEET_KEK_V1 to the fleet's bytes and restart the process;"
            + " place the fleet's main.v2.key in the key folder",
        Remedy.of(KeyringName.MAIN, all.getFirst()));
    assertEquals(
        "keyfleet kek announce --version=1 --keyring=archive",
        Remedy.of(new KeyringName("archive"), all.get(2)));
    assertEquals(
        "keyfleet kek announce --version=1 --use=kms",
        Remedy.of(new KeyringName("kms"), all.get(2)));
  }
}
