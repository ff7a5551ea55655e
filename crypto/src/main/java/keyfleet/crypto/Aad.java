package keyfleet.crypto;

/// What an envelope is bound to: the wrap to its version too, the data to all but the version.
final class Aad {
  private static final String PRODUCT = "keyfleet-envelope-1";

  private Aad() {}

  static byte[] ofWrap(
      CipherSuite suite, KeyringName keyring, KekVersion version, FieldLocation place) {
    LengthPrefixedWriter items = start(suite, keyring).int32(version.number());
    return place(items, place).encoded();
  }

  static byte[] ofData(CipherSuite suite, KeyringName keyring, FieldLocation place) {
    return place(start(suite, keyring), place).encoded();
  }

  private static LengthPrefixedWriter start(CipherSuite suite, KeyringName keyring) {
    return new LengthPrefixedWriter().utf8(PRODUCT).int8(suite.code()).utf8(keyring.value());
  }

  private static LengthPrefixedWriter place(LengthPrefixedWriter items, FieldLocation place) {
    return items.utf8(place.collection()).utf8(place.recordId()).utf8(place.field());
  }
}
