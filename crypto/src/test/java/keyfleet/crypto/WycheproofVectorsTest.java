package keyfleet.crypto;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.security.GeneralSecurityException;
import java.util.List;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Project Wycheproof's cases, through the same two calls that every box goes through.
class WycheproofVectorsTest {
  static List<TestVector> hkdf() {
    return TestVector.readAll("/vectors/hkdf-sha512.txt");
  }

  static List<TestVector> gcm() {
    return TestVector.readAll("/vectors/aes256-gcm.txt");
  }

  @ParameterizedTest
  @MethodSource("hkdf")
  void hkdfCase_givesTheKeyingMaterial(TestVector testVector) {
    SecretBytes key = SecretBytes.copyOf(testVector.bytes("ikm"));
    byte[] info = testVector.bytes("info");
    int length = Integer.parseInt(testVector.text("size"));
    byte[] expected = testVector.bytes("okm");
    assertArrayEquals(expected, Hkdf.derive(key, testVector.bytes("salt"), info, length));
    try (Hkdf kept = Hkdf.extract(key, testVector.bytes("salt"))) {
      assertArrayEquals(expected, kept.expand(info, length));
      assertArrayEquals(expected, kept.expand(info, length), "asked again");
    }
  }

  @ParameterizedTest
  @MethodSource("gcm")
  void gcmCase_decryptsOrIsRefused(TestVector testVector) throws GeneralSecurityException {
    GCMParameterSpec nonce =
        new GCMParameterSpec(DerivedKeyAead.TAG_BYTES * 8, testVector.bytes("iv"));
    byte[] aad = testVector.bytes("aad");
    Cipher decrypt =
        DerivedKeyAead.initCipher(Cipher.DECRYPT_MODE, testVector.bytes("key"), nonce, aad);
    byte[] sealed = testVector.bytes("ct", "tag");
    if (testVector.isValid()) {
      assertArrayEquals(testVector.bytes("msg"), decrypt.doFinal(sealed));
      Cipher encrypt =
          DerivedKeyAead.initCipher(Cipher.ENCRYPT_MODE, testVector.bytes("key"), nonce, aad);
      assertArrayEquals(sealed, encrypt.doFinal(testVector.bytes("msg")));
    } else {
      assertThrows(AEADBadTagException.class, () -> decrypt.doFinal(sealed));
    }
  }
}
