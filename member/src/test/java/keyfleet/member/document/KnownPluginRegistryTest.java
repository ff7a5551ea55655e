package keyfleet.member.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.KnownPlugin;
import keyfleet.store.Bucket;
import keyfleet.store.FakeKv;
import keyfleet.store.FakeStoreClock;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.StoreException;
import keyfleet.store.Unknown;
import keyfleet.store.Value;
import keyfleet.store.WriteResult;
import org.junit.jupiter.api.Test;

class KnownPluginRegistryTest {
  private static final KnownPlugin.Place PLACE =
      new KnownPlugin.Place("blue", "node-1", "/run/plugin.sock");

  /// A store that does not answer writes.
  private record SilentKv(Kv inner) implements ForwardingKv {
    @Override
    public WriteResult put(Bucket bucket, Key key, Value value) {
      return new Unknown();
    }
  }

  @Test
  void pluginUnderAnotherName_replacesTheOneAtItsPlace() {
    KnownPluginRegistry registry =
        new KnownPluginRegistry(new FakeKv(new FakeStoreClock()), KeyringName.MAIN);
    registry.remember(new KnownPlugin(PLACE, "plugin-1"));
    registry.remember(new KnownPlugin(PLACE, "plugin-2"));
    assertEquals(List.of(new KnownPlugin(PLACE, "plugin-2")), registry.list());
  }

  @Test
  void forgottenPlugin_isRememberedAgain_andReplacesNoOther() {
    KnownPluginRegistry registry =
        new KnownPluginRegistry(new FakeKv(new FakeStoreClock()), KeyringName.MAIN);
    KnownPlugin first = new KnownPlugin(PLACE, "plugin-1");
    registry.remember(first);
    assertTrue(registry.forget("plugin-1"));
    registry.rememberIfAbsent(first);
    assertEquals(List.of(first), registry.list());
    registry.remember(new KnownPlugin(PLACE, "plugin-2"));
    registry.rememberIfAbsent(first);
    assertEquals(List.of(new KnownPlugin(PLACE, "plugin-2")), registry.list());
  }

  /// A plugin that only believes to be remembered would be left out by the next gate.
  @Test
  void unansweredWrite_isNoMemory() {
    Kv silent = new SilentKv(new FakeKv(new FakeStoreClock()));
    KnownPluginRegistry registry = new KnownPluginRegistry(silent, KeyringName.MAIN);
    assertThrows(StoreException.class, () -> registry.remember(new KnownPlugin(PLACE, "plugin-1")));
  }
}
