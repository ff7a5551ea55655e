package keyfleet.crypto;

/// The additional authenticated data of an envelope. That of the wrap includes the KEK version;
/// that of the data does not.
final class Aad {
  private static final String PRODUCT = "keyfleet-envelope-1";

  private Aad() {}

  static byte[] ofWrap(
      CipherSuite cipherSuite, KeyringName keyring, KekVersion version, FieldLocation location) {
    LengthPrefixedWriter writer = startWriter(cipherSuite, keyring).putInt(version.number());
    return putLocation(writer, location).toBytes();
  }

  static byte[] ofData(CipherSuite cipherSuite, KeyringName keyring, FieldLocation location) {
    return putLocation(startWriter(cipherSuite, keyring), location).toBytes();
  }

  private static LengthPrefixedWriter startWriter(CipherSuite cipherSuite, KeyringName keyring) {
    return new LengthPrefixedWriter()
        .putUtf8(PRODUCT)
        .putByte(cipherSuite.code())
        .putUtf8(keyring.value());
  }

  private static LengthPrefixedWriter putLocation(
      LengthPrefixedWriter writer, FieldLocation location) {
    return writer
        .putUtf8(location.collection())
        .putUtf8(location.recordId())
        .putUtf8(location.field());
  }
}
