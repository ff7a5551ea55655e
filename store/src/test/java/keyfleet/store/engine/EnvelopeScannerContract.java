package keyfleet.store.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static keyfleet.store.StoreFixtures.sealed;
import static keyfleet.store.StoreFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import keyfleet.crypto.KekVersion;
import keyfleet.store.CollectionShape;
import keyfleet.store.Kv;
import keyfleet.store.StoreFixtures;
import keyfleet.store.Value;
import keyfleet.store.engine.EnvelopeScan.Cause;
import keyfleet.store.engine.EnvelopeScan.Encoding;
import keyfleet.store.engine.EnvelopeScan.Finding;
import keyfleet.store.engine.EnvelopeScan.Scope;
import keyfleet.store.engine.EnvelopeScan.SkippedPart;
import org.junit.jupiter.api.Test;

/// What Keyfleet expects of an engine that scans for envelopes that no registration declares.
public interface EnvelopeScannerContract {
  /// Creates a fixture around a database without collections.
  EnvelopeScannerFixture rig();

  private static Finding find(
      String collection, String field, Encoding form, Map<KekVersion, Long> of) {
    return new Finding(collection, field, form, new TreeMap<>(of), 0);
  }

  private static EnvelopeScan whole(EnvelopeScannerFixture rig) {
    return rig.engine().survey(Scope.whole(Set.of()));
  }

  private static byte[] plain() {
    return "no envelope".getBytes(UTF_8);
  }

  private static byte[] bytes(int version) {
    return sealed(version).toArray();
  }

  @Test
  default void undeclaredEnvelopes_areCountedByVersion() {
    try (EnvelopeScannerFixture rig = rig()) {
      rig.make("customers");
      rig.add("customers", bytes(1), plain(), "a");
      rig.add("customers", bytes(1), plain(), "b");
      rig.add("customers", bytes(2), bytes(3), "c");
      rig.make("orders");
      rig.add("orders", plain(), bytes(7), "d");
      assertEquals(
          Set.of(
              find("customers", "secret", Encoding.BYTES, Map.of(v(1), 2L, v(2), 1L)),
              find("customers", "other", Encoding.BYTES, Map.of(v(3), 1L)),
              find("orders", "other", Encoding.BYTES, Map.of(v(7), 1L))),
          Set.copyOf(whole(rig).undeclared()));
    }
  }

  @Test
  default void declaredFields_areLeftAside() {
    try (EnvelopeScannerFixture rig = rig()) {
      rig.make("customers");
      rig.add("customers", bytes(1), bytes(2), "a");
      rig.make("orders");
      rig.add("orders", bytes(3), plain(), "b");
      CollectionShape declared =
          new CollectionShape("customers", "id", new TreeSet<>(Set.of("secret")));
      assertEquals(
          Set.of(
              find("customers", "other", Encoding.BYTES, Map.of(v(2), 1L)),
              find("orders", "secret", Encoding.BYTES, Map.of(v(3), 1L))),
          Set.copyOf(rig.engine().survey(Scope.whole(Set.of(declared))).undeclared()));
    }
  }

  @Test
  default void base64_isFoundInText() {
    try (EnvelopeScannerFixture rig = rig()) {
      rig.make("customers");
      rig.add("customers", plain(), plain(), Base64.getEncoder().encodeToString(bytes(4)));
      rig.add("customers", plain(), plain(), Base64.getUrlEncoder().encodeToString(bytes(4)));
      assertEquals(
          List.of(find("customers", "note", Encoding.BASE64, Map.of(v(4), 2L))),
          whole(rig).undeclared());
    }
  }

  @Test
  default void whatOnlyBeginsLikeAnEnvelope_isUnreadable() {
    try (EnvelopeScannerFixture rig = rig()) {
      rig.make("customers");
      byte[] cut = Arrays.copyOf(bytes(1), 92);
      byte[] otherFormat = bytes(1);
      otherFormat[4] = 9;
      rig.add("customers", cut, plain(), Base64Envelope.PREFIX);
      rig.add("customers", otherFormat, plain(), Base64Envelope.PREFIX + "?".repeat(200));
      assertEquals(
          Set.of(
              new Finding("customers", "secret", Encoding.BYTES, new TreeMap<>(), 2),
              new Finding("customers", "note", Encoding.BASE64, new TreeMap<>(), 2)),
          Set.copyOf(whole(rig).undeclared()));
    }
  }

  @Test
  default void otherValues_areNotFound() {
    try (EnvelopeScannerFixture rig = rig()) {
      rig.make("customers");
      byte[] almost = bytes(1);
      almost[3] = 0;
      rig.add("customers", almost, new byte[0], "60tGR");
      rig.add("customers", new byte[] {(byte) 0xEB, 'K', 'F'}, plain(), "");
      assertEquals(List.of(), whole(rig).undeclared());
    }
  }

  @Test
  default void whatIsOurs_isLeftOutAndSaid() {
    try (EnvelopeScannerFixture rig = rig()) {
      Kv kv = rig.engine().kv();
      kv.create(StoreFixtures.THINGS, StoreFixtures.key("a"), new Value(sealed(1)));
      EnvelopeScan survey = whole(rig);
      assertEquals(List.of(), survey.undeclared());
      assertTrue(
          survey.notScanned().stream().anyMatch(it -> it.toString().contains("Keyfleet's own")),
          () -> survey.notScanned().toString());
      assertTrue(survey.notScanned().stream().allMatch(it -> it.cause() == Cause.RULE));
    }
  }

  @Test
  default void view_isLeftOutAndSaid() {
    try (EnvelopeScannerFixture rig = rig()) {
      rig.make("customers");
      rig.add("customers", bytes(1), plain(), "a");
      String what = rig.view("seen", "customers");
      EnvelopeScan survey = whole(rig);
      assertEquals(1, survey.undeclared().size());
      assertTrue(
          survey.notScanned().stream().map(SkippedPart::what).anyMatch(what::equals),
          () -> survey.notScanned().toString());
    }
  }

  @Test
  default void sample_readsNoMoreAndSaysSo() {
    try (EnvelopeScannerFixture rig = rig()) {
      rig.make("customers");
      rig.make("orders");
      for (int i = 0; i < 5; i++) {
        rig.add("customers", bytes(1), plain(), "a");
      }
      rig.add("orders", bytes(1), plain(), "b");
      rig.add("orders", bytes(1), plain(), "c");
      EnvelopeScan survey = rig.engine().survey(new Scope(Set.of(), 2));
      assertEquals(
          Set.of(
              find("customers", "secret", Encoding.BYTES, Map.of(v(1), 2L)),
              find("orders", "secret", Encoding.BYTES, Map.of(v(1), 2L))),
          Set.copyOf(survey.undeclared()));
      assertEquals(
          List.of(
              new SkippedPart(
                  "customers, all but 2 rows", "only a sample was requested", Cause.RULE)),
          survey.notScanned().stream().filter(it -> it.what().contains("all but")).toList());
    }
  }

  @Test
  default void oddName_isReadLikeAnyOther() {
    try (EnvelopeScannerFixture rig = rig()) {
      String odd = "it's \"odd\" @ %s?";
      rig.make(odd);
      rig.add(odd, bytes(1), plain(), "a");
      assertEquals(
          List.of(find(odd, "secret", Encoding.BYTES, Map.of(v(1), 1L))), whole(rig).undeclared());
    }
  }
}
