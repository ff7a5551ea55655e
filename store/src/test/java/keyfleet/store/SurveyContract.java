package keyfleet.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static keyfleet.store.Fixtures.sealed;
import static keyfleet.store.Fixtures.v;
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
import keyfleet.store.Survey.Cause;
import keyfleet.store.Survey.Find;
import keyfleet.store.Survey.Form;
import keyfleet.store.Survey.Gap;
import keyfleet.store.Survey.Scope;
import org.junit.jupiter.api.Test;

/// What Keyfleet expects of an engine that scans for envelopes that no registration declares.
public interface SurveyContract {
  /// Creates a fixture around a database without collections.
  SurveyRig rig();

  private static Find find(String collection, String field, Form form, Map<KekVersion, Long> of) {
    return new Find(collection, field, form, new TreeMap<>(of), 0);
  }

  private static Survey whole(SurveyRig rig) {
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
    try (SurveyRig rig = rig()) {
      rig.make("customers");
      rig.add("customers", bytes(1), plain(), "a");
      rig.add("customers", bytes(1), plain(), "b");
      rig.add("customers", bytes(2), bytes(3), "c");
      rig.make("orders");
      rig.add("orders", plain(), bytes(7), "d");
      assertEquals(
          Set.of(
              find("customers", "secret", Form.BYTES, Map.of(v(1), 2L, v(2), 1L)),
              find("customers", "other", Form.BYTES, Map.of(v(3), 1L)),
              find("orders", "other", Form.BYTES, Map.of(v(7), 1L))),
          Set.copyOf(whole(rig).undeclared()));
    }
  }

  @Test
  default void declaredFields_areLeftAside() {
    try (SurveyRig rig = rig()) {
      rig.make("customers");
      rig.add("customers", bytes(1), bytes(2), "a");
      rig.make("orders");
      rig.add("orders", bytes(3), plain(), "b");
      CollectionShape declared =
          new CollectionShape("customers", "id", new TreeSet<>(Set.of("secret")));
      assertEquals(
          Set.of(
              find("customers", "other", Form.BYTES, Map.of(v(2), 1L)),
              find("orders", "secret", Form.BYTES, Map.of(v(3), 1L))),
          Set.copyOf(rig.engine().survey(Scope.whole(Set.of(declared))).undeclared()));
    }
  }

  @Test
  default void base64_isFoundInText() {
    try (SurveyRig rig = rig()) {
      rig.make("customers");
      rig.add("customers", plain(), plain(), Base64.getEncoder().encodeToString(bytes(4)));
      rig.add("customers", plain(), plain(), Base64.getUrlEncoder().encodeToString(bytes(4)));
      assertEquals(
          List.of(find("customers", "note", Form.BASE64, Map.of(v(4), 2L))),
          whole(rig).undeclared());
    }
  }

  @Test
  default void whatOnlyBeginsLikeAnEnvelope_isUnreadable() {
    try (SurveyRig rig = rig()) {
      rig.make("customers");
      byte[] cut = Arrays.copyOf(bytes(1), 92);
      byte[] otherFormat = bytes(1);
      otherFormat[4] = 9;
      rig.add("customers", cut, plain(), EnvelopeText.PREFIX);
      rig.add("customers", otherFormat, plain(), EnvelopeText.PREFIX + "?".repeat(200));
      assertEquals(
          Set.of(
              new Find("customers", "secret", Form.BYTES, new TreeMap<>(), 2),
              new Find("customers", "note", Form.BASE64, new TreeMap<>(), 2)),
          Set.copyOf(whole(rig).undeclared()));
    }
  }

  @Test
  default void otherValues_areNotFound() {
    try (SurveyRig rig = rig()) {
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
    try (SurveyRig rig = rig()) {
      Kv kv = rig.engine().kv();
      kv.create(Fixtures.THINGS, Fixtures.key("a"), new Value(sealed(1)));
      Survey survey = whole(rig);
      assertEquals(List.of(), survey.undeclared());
      assertTrue(
          survey.notScanned().stream().anyMatch(it -> it.toString().contains("Keyfleet's own")),
          () -> survey.notScanned().toString());
      assertTrue(survey.notScanned().stream().allMatch(it -> it.cause() == Cause.RULE));
    }
  }

  @Test
  default void view_isLeftOutAndSaid() {
    try (SurveyRig rig = rig()) {
      rig.make("customers");
      rig.add("customers", bytes(1), plain(), "a");
      String what = rig.view("seen", "customers");
      Survey survey = whole(rig);
      assertEquals(1, survey.undeclared().size());
      assertTrue(
          survey.notScanned().stream().map(Gap::what).anyMatch(what::equals),
          () -> survey.notScanned().toString());
    }
  }

  @Test
  default void sample_readsNoMoreAndSaysSo() {
    try (SurveyRig rig = rig()) {
      rig.make("customers");
      rig.make("orders");
      for (int i = 0; i < 5; i++) {
        rig.add("customers", bytes(1), plain(), "a");
      }
      rig.add("orders", bytes(1), plain(), "b");
      rig.add("orders", bytes(1), plain(), "c");
      Survey survey = rig.engine().survey(new Scope(Set.of(), 2));
      assertEquals(
          Set.of(
              find("customers", "secret", Form.BYTES, Map.of(v(1), 2L)),
              find("orders", "secret", Form.BYTES, Map.of(v(1), 2L))),
          Set.copyOf(survey.undeclared()));
      assertEquals(
          List.of(new Gap("customers, all but 2 rows", "only a sample was requested", Cause.RULE)),
          survey.notScanned().stream().filter(it -> it.what().contains("all but")).toList());
    }
  }

  @Test
  default void oddName_isReadLikeAnyOther() {
    try (SurveyRig rig = rig()) {
      String odd = "it's \"odd\" @ %s?";
      rig.make(odd);
      rig.add(odd, bytes(1), plain(), "a");
      assertEquals(
          List.of(find(odd, "secret", Form.BYTES, Map.of(v(1), 1L))), whole(rig).undeclared());
    }
  }
}
