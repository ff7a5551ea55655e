package keyfleet.member.document;

import static keyfleet.member.MemberFixtures.job;
import static keyfleet.member.MemberFixtures.keystore;
import static keyfleet.member.MemberFixtures.origin;
import static keyfleet.member.MemberFixtures.sentinel;
import static keyfleet.member.MemberFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.Proof;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Heartbeat.Failed;
import keyfleet.keyring.Heartbeat.LoadedVersion;
import keyfleet.keyring.Heartbeat.Proved;
import keyfleet.keyring.Heartbeat.Untried;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.ReadinessGate.AtLeast;
import keyfleet.keyring.ReadinessGate.ExpectedProcesses;
import keyfleet.keyring.ReadinessGate.Named;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionState;
import keyfleet.store.Document;
import keyfleet.store.MalformedValueException;
import keyfleet.store.StoreTime;
import keyfleet.store.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The exact stored text, which other programs and other versions of Keyfleet read.
class MemberDocumentsTest {
  private static final StoreTime NOW = new StoreTime(1_000);
  private static final String PROOF = "ab".repeat(32);
  private static final Pattern FIELD = Pattern.compile("\"(\\w+)\":");

  private static final String KEYSTORE =
      """
      {"id":"ring-id","incarnation":3,"use":"records","epoch":7,"active":1,"writable":[1,2],\
      "timings":{"heartbeat_ms":30000,"fresh_ms":60000,"lease_ms":90000,"expire_ms":120000,\
      "adopt_ms":60000},"rotation":{"phase":"staged","id":"r-1","kind":"rotation","from":1,"to":2,\
      "course":"forward","driver":"worker-1"},"versions":{"1":{"provider":"env",\
      "sentinel":"S1","state":"active","trust":"compromised"},"2":{"provider":"file",\
      "sentinel":"S2","state":"staged","trust":"trusted"}},\
      "activations":[{"version":1,"epoch":7}],"nonce":"n-1"}\
      """
          .replace("S1", FieldCodec.encodeSentinel(sentinel(1)))
          .replace("S2", FieldCodec.encodeSentinel(sentinel(2)));

  private static final String HEARTBEAT =
      """
      {"instance":"api-1","run":"run-1","hostname":"host-1","pid":4711,"pod":"","role":"api",\
      "loaded_kek_versions":[1,2,3],"current_kek_version":1,"provider":"env",\
      "providers":{"1":"env","2":"env","3":"file"},"proofs":{"1":"PROOF","2":"failed"},"epoch":7,\
      "protocol":1,"version":"0.1.0","started_at":"2026-11-16T12:00:00Z","nonce":"n-1"}\
      """
          .replace("PROOF", PROOF);

  private static final String REGISTRATION =
      """
      {"keyring":"main","engine":"sqlite","collection":"orders","id_field":"id","fields":["card","name"],\
      "version_field":"kek_version","nonce":"n-1"}\
      """;

  private static Heartbeat heartbeat() {
    return new Heartbeat(
        origin("api-1", "run-1"),
        Map.of(
            v(1), new LoadedVersion("env", new Proved(Proof.parse(PROOF).orElseThrow())),
            v(2), new LoadedVersion("env", new Failed()),
            v(3), new LoadedVersion("file", new Untried())),
        v(1),
        1,
        7,
        HeartbeatDocument.toInstant(NOW));
  }

  private static CollectionRegistration collectionRegistration() {
    return new CollectionRegistration(
        KeyringName.MAIN, "sqlite", "orders", "id", List.of("card", "name"), "kek_version");
  }

  private static Document parse(String text) {
    return Document.parse(Value.of(text));
  }

  @Test
  void keystore_keepsItsStoredForm() {
    var staged = keystore(new Rotation.Staged(job()));
    assertEquals(KEYSTORE, KeystoreDocument.toDocument(staged, "n-1").toValue().text());
    assertEquals(staged, KeystoreDocument.parse(parse(KEYSTORE)));
  }

  @Test
  void attestedClusters_areStoredWithTheirVersion() {
    Keystore.Identity identity = new Keystore.Identity("ring-id", 3, Keystore.Use.KMS);
    VersionEntry entry =
        new VersionEntry(
            "env",
            sentinel(1),
            VersionState.ACTIVE,
            VersionEntry.Trust.TRUSTED,
            new TreeSet<>(List.of("blue", "green")));
    var attested =
        new Keystore(
            identity,
            1,
            v(1),
            new TreeSet<>(List.of(v(1))),
            Timings.DEFAULT,
            new Rotation.Idle(),
            new TreeMap<>(Map.of(v(1), entry)),
            List.of());
    var document = KeystoreDocument.toDocument(attested, "n-1");
    assertTrue(document.toValue().text().contains("\"attested_clusters\":[\"blue\",\"green\"]"));
    assertEquals(attested, KeystoreDocument.parse(document));
  }

  /// A rotation of an older program has no such field: it is the document above.
  @Test
  void expectedProcesses_keepTheirStoredForm() {
    Map<ExpectedProcesses, String> storedForms =
        Map.of(
            new AtLeast(3), "\"min_processes\":3",
            new Named(new TreeSet<>(List.of("b", "a"))), "\"expected\":[\"a\",\"b\"]");
    storedForms.forEach((expected, words) -> {
      var staged = keystore(new Rotation.Staged(job(expected)));
      String text = KEYSTORE.replace("\"worker-1\"", "\"worker-1\"," + words);
      assertEquals(text, KeystoreDocument.toDocument(staged, "n-1").toValue().text());
      assertEquals(staged, KeystoreDocument.parse(parse(text)));
    });
  }

  @Test
  void heartbeat_keepsItsStoredForm() {
    assertEquals(HEARTBEAT, HeartbeatDocument.toDocument(heartbeat(), "n-1").toValue().text());
    assertEquals(heartbeat(), HeartbeatDocument.parse(Value.of(HEARTBEAT), NOW));
  }

  @Test
  void heartbeatWithoutAKeystore_hasNoCurrentVersion() {
    Heartbeat beat =
        new Heartbeat(origin("a", "r"), Map.of(), null, 1, 0, HeartbeatDocument.toInstant(NOW));
    Document written = HeartbeatDocument.toDocument(beat, "n-1");
    assertEquals(false, written.has("current_kek_version"));
    assertEquals(beat, HeartbeatDocument.parse(Value.of(written.toValue().text()), NOW));
  }

  @Test
  void registration_keepsItsStoredForm() {
    assertEquals(
        REGISTRATION,
        RegistrationDocument.toDocument(collectionRegistration(), "n-1").toValue().text());
    assertEquals(collectionRegistration(), RegistrationDocument.parse(parse(REGISTRATION)));
  }

  static Stream<Rotation> rotations() {
    return Stream.of(
        new Rotation.Idle(),
        new Rotation.Staged(job()),
        new Rotation.OpeningFences(job()),
        new Rotation.Rewrapping(job()),
        new Rotation.Settling(job()),
        new Rotation.Fencing(job()),
        new Rotation.Sweeping(job()),
        new Rotation.Proving(job()),
        new Rotation.Blocked(job(), 12),
        new Rotation.Paused(new Rotation.Sweeping(job())),
        new Rotation.Completed(job()),
        new Rotation.Aborted(job()));
  }

  @ParameterizedTest
  @MethodSource("rotations")
  void everyRotation_isParsedBackEqual(Rotation rotation) {
    Document written = KeystoreDocument.toDocument(keystore(rotation), "n");
    assertEquals(keystore(rotation), KeystoreDocument.parse(parse(written.toValue().text())));
  }

  @Test
  void unknownFields_areIgnored() {
    String more = KEYSTORE.replaceFirst("\\{", "{\"later\":{\"a\":[1.5,true]},");
    assertEquals(keystore(new Rotation.Staged(job())), KeystoreDocument.parse(parse(more)));
  }

  /// Each field is needed, except the `dispensable` ones, which only people read.
  private static void assertEveryFieldIsNeeded(
      String text, Consumer<Value> reading, List<String> dispensable) {
    FIELD
        .matcher(text)
        .results()
        .filter(found -> !dispensable.contains(found.group(1)))
        .forEach(found -> {
          String renamed =
              text.substring(0, found.start())
                  + "\"x_"
                  + found.group(1)
                  + "\":"
                  + text.substring(found.end());
          assertThrows(
              MalformedValueException.class, () -> reading.accept(Value.of(renamed)), renamed);
        });
  }

  @Test
  void documentWithoutAField_isMalformed() {
    assertEveryFieldIsNeeded(
        KEYSTORE, it -> KeystoreDocument.parse(Document.parse(it)), List.of("nonce"));
    assertEveryFieldIsNeeded(
        REGISTRATION, it -> RegistrationDocument.parse(Document.parse(it)), List.of("nonce"));
    assertEveryFieldIsNeeded(
        HEARTBEAT,
        it -> {
          Heartbeat read = HeartbeatDocument.parse(it, NOW);
          assertEquals(heartbeat(), read);
        },
        List.of("provider", "nonce", "current_kek_version", "1", "2"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"active\":1>\"active\":2",
        "\"active\":1>\"active\":4294967297",
        "\"active\":1>\"active\":0",
        "\"writable\":[1,2]>\"writable\":[2]",
        "\"phase\":\"staged\">\"phase\":\"dozing\"",
        "\"state\":\"active\">\"state\":\"ACTIVE\"",
        "\"use\":\"records\">\"use\":\"record\"",
        "\"to\":2>\"to\":1",
        "\"lease_ms\":90000>\"lease_ms\":30000",
        "\"versions\":{\"1\">\"versions\":{\"01\"",
        "\"sentinel\":\"6>\"sentinel\":\"*",
        "\"kind\":\"rotation\">\"kind\":\"whim\"",
      })
  void keystoreThatBreaksARule_isMalformed(String change) {
    String[] parts = change.split(">", 2);
    String broken = KEYSTORE.replace(parts[0], parts[1]);
    assertEquals(false, broken.equals(KEYSTORE), "nothing was changed");
    assertThrows(MalformedValueException.class, () -> KeystoreDocument.parse(parse(broken)));
  }
}
