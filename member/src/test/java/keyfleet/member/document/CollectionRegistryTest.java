package keyfleet.member.document;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.member.document.CollectionRegistry.Registered;
import keyfleet.member.document.CollectionRegistry.RegisteredDifferently;
import keyfleet.store.FakeKv;
import keyfleet.store.FakeStoreClock;
import org.junit.jupiter.api.Test;

/// What a registered collection may become.
class CollectionRegistryTest {
  private final FakeKv kv = new FakeKv(new FakeStoreClock());
  private int nonces;
  private final CollectionRegistry registry = new CollectionRegistry(kv, () -> "n-" + nonces++);

  private static CollectionRegistration orders(String versionField) {
    return orders(KeyringName.MAIN, "card", versionField);
  }

  private static CollectionRegistration orders(
      KeyringName keyring, String sealedField, String versionField) {
    return new CollectionRegistration(
        keyring,
        "sqlite",
        "orders",
        "id",
        List.of(sealedField),
        versionField.isEmpty() ? null : versionField);
  }

  private List<CollectionRegistration> registered() {
    return registry.allRegistrations();
  }

  @Test
  void collectionWithoutVersionField_gainsOne() {
    assertEquals(new Registered(), registry.register(orders("")));
    assertEquals(List.of(orders("")), registered());
    assertEquals(new Registered(), registry.register(orders("kek_version")));
    assertEquals(List.of(orders("kek_version")), registered());
    assertEquals(new Registered(), registry.register(orders("kek_version")));
  }

  @Test
  void versionField_isNeitherLostNorReplaced() {
    registry.register(orders("kek_version"));
    RegisteredDifferently differently = new RegisteredDifferently(orders("kek_version"));
    assertEquals(differently, registry.register(orders("")));
    assertEquals(differently, registry.register(orders("other")));
    assertEquals(List.of(orders("kek_version")), registered());
  }

  @Test
  void versionFieldOfAnotherShape_changesNothing() {
    registry.register(orders(""));
    RegisteredDifferently differently = new RegisteredDifferently(orders(""));
    assertEquals(differently, registry.register(orders(KeyringName.MAIN, "iban", "kek_version")));
    assertEquals(
        differently, registry.register(orders(new KeyringName("pay"), "card", "kek_version")));
    assertEquals(List.of(orders("")), registered());
  }
}
