package keyfleet.control.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import keyfleet.crypto.KeyringName;
import keyfleet.store.Bytes;
import keyfleet.store.MalformedValueException;
import keyfleet.store.StoreTime;
import keyfleet.store.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AuditEntryTest {
  private static final AuditActor ACTOR = new AuditActor("mira", "bastion", "cli-7");
  private static final Instant DATE = Instant.parse("2026-11-03T10:15:30.123Z");
  private static final AuditAction ACTION =
      new AuditAction(ACTOR, "pause", "r-1", new StoreTime(77), DATE);
  private static final AuditEntry ENTRY =
      new AuditEntry(
          KeyringName.MAIN,
          AuditLink.ofKeystore(new AuditHead(6, "ab".repeat(32)), List.of("12".repeat(32))),
          ACTION,
          List.of(new AuditChange("rotation", "staged", "paused while staged")),
          "n-1");

  /// The hash comes from another program, written from the description of the format alone.
  private static final String STORED =
      """
      {"format":2,"keyring":"main","chain":"keystore","number":7,"previous":"PREVIOUS",\
      "keystore_head":"0:NONE","ties":["TIE"],"user":"mira",\
      "host":"bastion","instance":"cli-7","what":"pause","rotation":"r-1","store_time":77,\
      "date":"2026-11-03T10:15:30.123Z","changes":[{"name":"rotation","before":"staged",\
      "after":"paused while staged"}],"nonce":"n-1",\
      "hash":"HASH"}\
      """
          .replace("NONE", "0".repeat(64))
          .replace("TIE", "12".repeat(32))
          .replace("PREVIOUS", "ab".repeat(32))
          .replace("HASH", "4f3e390277b82d2e4b123f327fd216a697bf65b2b21204ee99cfea62c2eaa0d6");

  private static AuditEntry with(AuditAction action) {
    return new AuditEntry(ENTRY.keyring(), ENTRY.link(), action, ENTRY.changes(), ENTRY.nonce());
  }

  private static AuditLink after(AuditHead previous) {
    return AuditLink.ofKeystore(previous, ENTRY.link().ties());
  }

  private static AuditEntry with(AuditLink link) {
    return new AuditEntry(ENTRY.keyring(), link, ACTION, ENTRY.changes(), ENTRY.nonce());
  }

  private static AuditEntry with(AuditChange... changes) {
    return new AuditEntry(ENTRY.keyring(), ENTRY.link(), ACTION, List.of(changes), ENTRY.nonce());
  }

  private static AuditAction by(AuditActor actor) {
    return new AuditAction(actor, "pause", "r-1", new StoreTime(77), DATE);
  }

  @Test
  void entry_keepsItsStoredFormAndHash() {
    assertEquals(STORED, AuditDocument.toDocument(ENTRY).toValue().text());
    assertEquals(ENTRY, AuditDocument.parse(Value.of(STORED)));
  }

  @Test
  void entriesThatDifferAnywhere_haveDifferentHashes() {
    AuditHead other = new AuditHead(6, "cd".repeat(32));
    AuditHead later = new AuditHead(7, "ab".repeat(32));
    KeyringName kms = new KeyringName("kms");
    AuditChange change = ENTRY.changes().getFirst();
    List<AuditEntry> all =
        List.of(
            ENTRY,
            new AuditEntry(kms, ENTRY.link(), ACTION, ENTRY.changes(), "n-1"),
            new AuditEntry(ENTRY.keyring(), after(other), ACTION, ENTRY.changes(), "n-1"),
            new AuditEntry(ENTRY.keyring(), after(later), ACTION, ENTRY.changes(), "n-1"),
            new AuditEntry(ENTRY.keyring(), ENTRY.link(), ACTION, ENTRY.changes(), "n-2"),
            with(AuditLink.ofKeystore(ENTRY.previous(), List.of())),
            with(AuditLink.ofKeystore(ENTRY.previous(), List.of("34".repeat(32)))),
            with(AuditLink.ofWriter(new AuditChainHead("w", ENTRY.previous()), other)),
            with(AuditLink.ofWriter(new AuditChainHead("v", ENTRY.previous()), other)),
            with(AuditLink.ofWriter(new AuditChainHead("w", ENTRY.previous()), later)),
            with(by(new AuditActor("mirabastion", "", "cli-7"))),
            with(by(new AuditActor("mira", "bastioncli-7", ""))),
            with(by(new AuditActor("mira", "bastion", "cli-8"))),
            with(new AuditAction(ACTOR, "pauser", "-1", new StoreTime(77), DATE)),
            with(new AuditAction(ACTOR, "resume", "r-1", new StoreTime(77), DATE)),
            with(new AuditAction(ACTOR, "pause", "r-1", new StoreTime(78), DATE)),
            with(new AuditAction(ACTOR, "pause", "r-1", new StoreTime(77), DATE.plusMillis(1))),
            with(),
            with(change, change),
            with(new AuditChange("rotation", "", "paused while staged")),
            with(new AuditChange("rotation", "staged", "paused")));
    Set<String> hashes = new HashSet<>();
    all.forEach(it -> assertTrue(hashes.add(it.head().hash()), it::toString));
  }

  @Test
  void flippedByte_isRefusedAnywhere() {
    byte[] bytes = Value.of(STORED).bytes().toArray();
    for (int i = 0; i < bytes.length; i++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] edited = bytes.clone();
        edited[i] ^= (byte) (1 << bit);
        Value value = new Value(Bytes.copyOf(edited));
        assertThrows(MalformedValueException.class, () -> AuditDocument.parse(value), value::text);
      }
    }
  }

  /// Other JSON with the same meaning.
  static Stream<String> otherSpellings() {
    return Stream.of(
        STORED.replace(",\"user\"", ", \"user\""),
        STORED.replace("mira", "\\u006dira"),
        STORED.replace("{\"format\":2,", "{\"format\":2,\"more\":1,"),
        STORED.replace("30.123Z", "30.123000Z"),
        STORED.replace(
            "\"what\":\"pause\",\"rotation\":\"r-1\"", "\"rotation\":\"r-1\",\"what\":\"pause\""));
  }

  @ParameterizedTest
  @MethodSource("otherSpellings")
  void otherSpellingOfTheSameEntry_isRefused(String spelling) {
    assertNotEquals(STORED, spelling);
    assertThrows(MalformedValueException.class, () -> AuditDocument.parse(Value.of(spelling)));
  }

  @Test
  void unpairedSurrogate_isRefused() {
    AuditEntry half = with(by(new AuditActor("\ud83d", "", "")));
    assertThrows(IllegalArgumentException.class, half::head);
    String edited = STORED.replace("mira", "\\ud83d");
    assertThrows(MalformedValueException.class, () -> AuditDocument.parse(Value.of(edited)));
  }

  @Test
  void longName_isCutBetweenCharacters() {
    String clefs = "x" + "\ud834\udd1e".repeat(200);
    AuditActor actor = new AuditActor(clefs, clefs.substring(1), "short");
    assertEquals(AuditActor.MAX_LENGTH - 1, actor.user().length());
    assertEquals(AuditActor.MAX_LENGTH, actor.host().length());
    assertNotEquals("", with(by(actor)).head().hash());
  }

  @Test
  void head_isPrintedAndParsed() {
    AuditHead head = ENTRY.head();
    assertEquals(Optional.of(head), AuditHead.parse(head.toString()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "7", "7:ab", "-1:", ":", "x:y"})
  void otherText_isNotAHead(String text) {
    assertEquals(Optional.empty(), AuditHead.parse(text));
    assertEquals(Optional.empty(), AuditHead.parse(text + "0".repeat(65)));
  }

  @Test
  void changes_areDescribedForPeople() {
    AuditEntry entry =
        with(
            new AuditChange("epoch", "1", "2"),
            new AuditChange("rotation.driver", "", "worker-1"),
            new AuditChange("rotation.id", "r-1", ""));
    assertEquals("epoch: 1 → 2; rotation.driver: worker-1; rotation.id: r-1 → none", entry.text());
  }
}
