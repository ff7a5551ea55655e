package keyfleet.member;

import static keyfleet.member.MemberFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;

import keyfleet.crypto.KeyringName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MissingKeyRemedyTest {
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
    "other, main, give the process access to main v2 in other"
  })
  void thisProcess_getsTheRemedyOfTheProvider(String provider, String keyring, String expected) {
    assertEquals(
        expected, MissingKeyRemedy.forThisProcess(provider, new KeyringName(keyring), v(2)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          env    | set KEYFLEET_KEK_PAY_V2 and restart the process
          file   | copy pay.v2.key with mode 0600 into the key folder; no restart is needed
          pkcs11 | provide keyfleet-pay-v2 in its token; keyfleet kek pkcs11-init --version=2 creates it once for all processes that share the token
          vault  | give its Transit key version 2, not below min_decryption_version, and let the policy of its token allow it; bao write -f MOUNT/keys/KEY/rotate creates the next version for all processes
          awskms | let its role use the KMS key behind alias/keyfleet-pay-v2 in its configured region
          other  | load v2 from other
          """)
  void otherProcess_getsTheRemedyOfTheProvider(String provider, String expected) {
    assertEquals(
        expected, MissingKeyRemedy.forOtherProcess(provider, new KeyringName("pay"), v(2), ""));
  }

  @Test
  void otherProcess_envVariableOfTheMainKeyring_hasNoKeyringName() {
    assertEquals(
        "set KEYFLEET_KEK_V2 and restart the process",
        MissingKeyRemedy.forOtherProcess("env", KeyringName.MAIN, v(2), ""));
  }

  @Test
  void keyFolder_isNamed() {
    assertEquals(
        "place main.v2.key in keys/b with mode 0600; no restart is needed",
        MissingKeyRemedy.forOtherProcess("file", KeyringName.MAIN, v(2), "keys/b"));
    assertEquals(
        "remove main.v2.key from keys/b, wait for a heartbeat, then place the fleet's main.v2.key"
            + " in keys/b",
        MissingKeyRemedy.forOtherBytes("file", KeyringName.MAIN, v(2), "keys/b"));
  }

  @Test
  void commandAndNewKey_getWhatToType() {
    assertEquals(
        "set KEYFLEET_KEK_V2 to the fleet's bytes, and run the same command again",
        MissingKeyRemedy.forCommand("env", KeyringName.MAIN, v(2)));
    assertEquals(
        "keyfleet kek generate --version=2 --keyring=pay",
        MissingKeyRemedy.forNewKey("file", new KeyringName("pay"), v(2)));
  }

  @Test
  void unknownProvider_getsAGeneralRemedy() {
    assertEquals(
        "provision main v2 where this process loads its keys",
        MissingKeyRemedy.forUnknownProvider(KeyringName.MAIN, v(2)));
  }
}
