package keyfleet.crypto;

/// What an envelope is bound to: the wrap to its version too, the data to all but the version.
final class Aad {
  private static final String PRODUCT = "keyfleet-envelope-1";

  private Aad() {}

  static byte[] ofWrap(Suite suite, KeyringName keyring, KekVersion version, Place place) {
    ItemList items = start(suite, keyring).int32(version.number());
    return place(items, place).encoded();
  }

  static byte[] ofData(Suite suite, KeyringName keyring, Place place) {
    return place(start(suite, keyring), place).encoded();
  }

  private static ItemList start(Suite suite, KeyringName keyring) {
    return new ItemList().utf8(PRODUCT).int8(suite.code()).utf8(keyring.value());
  }

  private static ItemList place(ItemList items, Place place) {
    return items.utf8(place.collection()).utf8(place.recordId()).utf8(place.field());
  }
}
