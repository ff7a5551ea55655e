package keyfleet.crypto;

/// What an envelope is bound to: the wrap to its version too, the data to all but the version.
final class Aad {
  private static final String PRODUCT = "keyfleet-envelope-1";

  private Aad() {}

  static byte[] ofWrap(
      CipherSuite cipherSuite, KeyringName keyring, KekVersion version, FieldLocation place) {
    LengthPrefixedWriter writer = startWriter(cipherSuite, keyring).putInt(version.number());
    return putLocation(writer, place).toBytes();
  }

  static byte[] ofData(CipherSuite cipherSuite, KeyringName keyring, FieldLocation place) {
    return putLocation(startWriter(cipherSuite, keyring), place).toBytes();
  }

  private static LengthPrefixedWriter startWriter(CipherSuite cipherSuite, KeyringName keyring) {
    return new LengthPrefixedWriter()
        .putUtf8(PRODUCT)
        .putByte(cipherSuite.code())
        .putUtf8(keyring.value());
  }

  private static LengthPrefixedWriter putLocation(
      LengthPrefixedWriter writer, FieldLocation place) {
    return writer.putUtf8(place.collection()).putUtf8(place.recordId()).putUtf8(place.field());
  }
}
