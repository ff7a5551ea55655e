package keyfleet.crypto;

import java.util.Optional;

/// How the bytes of an envelope are protected. The code is stored in the envelope and is part of
/// its additional data, so that a later suite can be added.
enum CipherSuite {
  HKDF_SHA512_AES256_GCM(1);

  private final int code;

  CipherSuite(int code) {
    this.code = code;
  }

  byte code() {
    return (byte) code;
  }

  static Optional<CipherSuite> fromCode(byte code) {
    return code == HKDF_SHA512_AES256_GCM.code()
        ? Optional.of(HKDF_SHA512_AES256_GCM)
        : Optional.empty();
  }
}
