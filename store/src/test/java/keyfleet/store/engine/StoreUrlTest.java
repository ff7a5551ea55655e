package keyfleet.store.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import keyfleet.store.StoreRefusedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoreUrlTest {
  @Test
  void serverUrl_isParsed() {
    StoreUrl url =
        StoreUrl.parse("postgresql://ann%40x:p%3Aq+r@h1:5432,h2/fleet?sslmode=require&schema=k");
    assertEquals("postgresql", url.scheme());
    assertEquals(List.of("h1:5432", "h2"), url.hosts());
    assertEquals("fleet", url.path());
    assertEquals(Optional.of("ann@x"), url.user());
    assertEquals(Optional.of("p:q+r"), url.password());
    assertEquals(Optional.of("require"), url.parameter("sslmode"));
    assertEquals(Optional.empty(), url.parameter("absent"));
  }

  @ParameterizedTest
  @CsvSource({
    "sqlite:keyfleet.db,       keyfleet.db",
    "sqlite:/var/lib/a b.db,   /var/lib/a b.db",
    "sqlite:x.db?mode=rw,      x.db"
  })
  void fileUrl_hasThePathAsItIs(String text, String path) {
    StoreUrl url = StoreUrl.parse(text);
    assertEquals(path, url.path());
    assertEquals(List.of(), url.hosts());
  }

  @ParameterizedTest
  @CsvSource({
    "mongodb://ann:secret@h/db?password-file=secret, mongodb://ann@h/db",
    "nats://h:4222,                                  nats://h:4222",
    "sqlite:x.db,                                    sqlite:x.db"
  })
  void printedUrl_hasNoPassword(String text, String shown) {
    assertEquals(shown, StoreUrl.parse(text).toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "sqlite:",
        "secret",
        "oracle://secret@h/db",
        "nats://",
        "nats://secret@",
        "nats://h1,,h2",
        "nats://h?secret",
        "nats://h?=secret",
        "nats://h?a=1&a=secret",
        "nats://u:secret%@h",
        "nats://u:p@secret@h"
      })
  void badUrl_isRefusedAndNotPrinted(String text) {
    StoreRefusedException refused =
        assertThrows(StoreRefusedException.class, () -> StoreUrl.parse(text).password());
    assertFalse(refused.getMessage().contains("secret"), refused::getMessage);
    assertFalse(refused.remedy().isEmpty());
  }

  @Test
  void unknownParameter_isRefused() {
    StoreUrl url = StoreUrl.parse("nats://h?sync_intervall=always");
    StoreRefusedException refused =
        assertThrows(
            StoreRefusedException.class,
            () -> url.rejectUnknownParameters(Set.of("sync_interval")));
    assertEquals("nats URLs have no parameter sync_intervall", refused.getMessage());
    assertEquals("one of sync_interval", refused.remedy());
  }
}
