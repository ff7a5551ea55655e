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

/// The cases of Project Wycheproof, through the two calls that every seal and open uses.
class WycheproofVectorsTest {
  static List<TestVector> hkdf() {
    return TestVector.readAll("/vectors/hkdf-sha512.txt");
  }

  static List<TestVector> gcm() {
    return TestVector.readAll("/vectors/aes256-gcm.txt");
  }

  @ParameterizedTest
  @MethodSource("hkdf")
  void hkdfCase_givesTheKeyingMaterial(TestVector vector) {
    SecretBytes key = SecretBytes.copyOf(vector.bytes("ikm"));
    byte[] info = vector.bytes("info");
    int length = Integer.parseInt(vector.text("size"));
    byte[] expected = vector.bytes("okm");
    assertArrayEquals(expected, Hkdf.derive(key, vector.bytes("salt"), info, length));
    try (Hkdf kept = Hkdf.extract(key, vector.bytes("salt"))) {
      assertArrayEquals(expected, kept.expand(info, length));
      assertArrayEquals(expected, kept.expand(info, length), "asked again");
    }
  }

  @ParameterizedTest
  @MethodSource("gcm")
  void gcmCase_decryptsOrIsRefused(TestVector vector) throws GeneralSecurityException {
    GCMParameterSpec nonce = new GCMParameterSpec(DerivedKeyAead.TAG_BYTES * 8, vector.bytes("iv"));
    byte[] aad = vector.bytes("aad");
    Cipher decrypt =
        DerivedKeyAead.initCipher(Cipher.DECRYPT_MODE, vector.bytes("key"), nonce, aad);
    byte[] sealed = vector.bytes("ct", "tag");
    if (vector.isValid()) {
      assertArrayEquals(vector.bytes("msg"), decrypt.doFinal(sealed));
      Cipher encrypt =
          DerivedKeyAead.initCipher(Cipher.ENCRYPT_MODE, vector.bytes("key"), nonce, aad);
      assertArrayEquals(sealed, encrypt.doFinal(vector.bytes("msg")));
    } else {
      assertThrows(AEADBadTagException.class, () -> decrypt.doFinal(sealed));
    }
  }
}
