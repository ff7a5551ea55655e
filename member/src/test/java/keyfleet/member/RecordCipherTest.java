package keyfleet.member;

import static keyfleet.member.MemberFixtures.ORDERS;
import static keyfleet.member.MemberFixtures.v;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionState;
import keyfleet.keyring.WriteLease;
import keyfleet.member.MemberException.ContextMismatch;
import keyfleet.member.MemberException.LeaseExpired;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.store.Bytes;
import keyfleet.store.RecordChange;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RecordCipherTest {
  private static final Duration SOON = Duration.ofSeconds(2);

  private final TestFleet fleet = TestFleet.ofVersion1();
  private final Member member =
      fleet.member("api-1").collection(TestEngine.NAME, fleet.engine(), ORDERS).join();
  private final RecordCipher orders = member.records("orders").cipher();

  @BeforeEach
  void provision() {
    fleet.keys().give(2);
    fleet.rotation().announce(2);
  }

  private void flip() {
    fleet.rotation().stage(2);
    fleet.rotation().flip();
    fleet.advance(SOON);
  }

  private static PlainFields texts(String card, String name) {
    return PlainFields.ofTexts(Map.of("card", card, "name", name));
  }

  private StoredRecord sealRecord() {
    return orders.seal("o-1", texts("4111", "Ada"));
  }

  private static StoredRecord with(StoredRecord record, String field, Bytes bytes) {
    Map<String, Bytes> fields = new TreeMap<>(record.fields().byName());
    fields.put(field, bytes);
    return new StoredRecord(record.id(), SealedFields.of(fields));
  }

  private static Bytes field(SealedFields fields, String name) {
    return fields.byName().getOrDefault(name, Bytes.copyOf(new byte[0]));
  }

  @Test
  void sealedRecord_isOpened() {
    StoredRecord record = sealRecord();
    assertEquals(Set.of(v(1)), record.fields().versions());
    try (PlainFields opened = orders.open(record)) {
      assertEquals("4111", opened.text("card"));
      assertEquals("Ada", opened.text("name"));
      assertFalse(opened.toString().contains("4111"), opened.toString());
    }
  }

  @Test
  void partialChange_movesTheOtherFieldsToo() {
    StoredRecord record = sealRecord();
    flip();
    RecordChange change = orders.change(record, PlainFields.ofTexts(Map.of("card", "5500")));
    assertEquals(record, change.before());
    assertEquals(Set.of(v(2)), change.after().versions());
    try (PlainFields opened = orders.open(new StoredRecord(record.id(), change.after()))) {
      assertEquals("5500", opened.text("card"));
      assertEquals("Ada", opened.text("name"));
    }
  }

  @Test
  void mixedRecord_endsUnderOneVersion() {
    StoredRecord old = sealRecord();
    flip();
    StoredRecord mixed =
        with(
            old, "card", Bytes.copyOf(member.cipher("orders", "card").seal("o-1", "5500").bytes()));
    assertEquals(Set.of(v(1), v(2)), mixed.fields().versions());
    assertEquals(Set.of(v(2)), orders.rewrap(mixed).after().versions());
    assertEquals(
        Set.of(v(2)),
        orders.change(mixed, PlainFields.ofTexts(Map.of("card", "1"))).after().versions());
  }

  /// K4.
  @Test
  void rewrappedField_keepsItsDataBytes() {
    StoredRecord record = sealRecord();
    flip();
    Bytes before = field(record.fields(), "name");
    Bytes after = field(orders.rewrap(record).after(), "name");
    assertArrayEquals(data(before), data(after));
    assertFalse(before.equals(after), "the wrapped key did not change");
  }

  private static byte[] data(Bytes envelope) {
    byte[] all = envelope.toArray();
    int wrapped = (all[10] & 0xFF) << 8 | (all[11] & 0xFF);
    return Arrays.copyOfRange(all, 12 + wrapped, all.length);
  }

  @Test
  void fieldUnderTheActiveVersion_isLeftAsItIs() {
    StoredRecord record = sealRecord();
    assertEquals(record.fields(), orders.rewrap(record).after());
  }

  @Test
  void unreadableFieldThatIsNotReplaced_failsTheChange() {
    StoredRecord record = sealRecord();
    flip();
    StoredRecord broken = with(record, "name", Bytes.copyOf(new byte[] {1, 2, 3}));
    PlainFields card = PlainFields.ofTexts(Map.of("card", "5500"));
    assertThrows(ContextMismatch.class, () -> orders.change(broken, card));
    StoredRecord swapped = with(record, "name", field(record.fields(), "card"));
    assertThrows(ContextMismatch.class, () -> orders.change(swapped, card));
    assertThrows(ContextMismatch.class, () -> orders.open(swapped));
    assertEquals(Set.of(v(2)), orders.change(broken, texts("5500", "Ada")).after().versions());
  }

  @Test
  void undeclaredField_isABug() {
    PlainFields cvv = PlainFields.ofTexts(Map.of("cvv", "123"));
    assertThrows(IllegalArgumentException.class, () -> orders.seal("o-1", cvv));
  }

  @Test
  void endedLease_stopsRewrappingToo() {
    StoredRecord record = sealRecord();
    fleet.engine().disconnect();
    fleet.advance(Duration.ofSeconds(91));
    assertThrows(LeaseExpired.class, () -> orders.rewrap(record));
    assertThrows(LeaseExpired.class, () -> orders.seal("o-2", texts("1", "2")));
    assertEquals("Ada", orders.open(record).text("name"));
  }

  /// Each permit reads the state twice; here every other permit is for another version.
  @Test
  void flipBetweenTwoFields_doesNotSplitARecord() {
    flip();
    Keystore now = fleet.rotation().keystore();
    Keystore back = flippedBack(now);
    WriteLease lease = new WriteLease(fleet.nanos(), now.epoch());
    AtomicInteger asked = new AtomicInteger();
    Sealer sealer =
        new Sealer(
            new CollectionDeclaration(TestEngine.NAME, fleet.engine(), ORDERS)
                .registration(fleet.keyring()),
            new CollectionRegistry(fleet.engine().kv(), () -> "n"),
            member.keys(),
            () ->
                new MembershipState.Admitted(
                    asked.getAndIncrement() / 2 % 2 == 0 ? now : back, lease),
            fleet::nanos);
    RecordCipher flapping = new RecordCipher(fleet.keyring(), ORDERS, sealer);
    StoredRecord first = flapping.seal("o-1", texts("1", "2"));
    StoredRecord second = flapping.seal("o-1", texts("1", "2"));
    assertEquals(Set.of(v(2)), first.fields().versions());
    assertEquals(Set.of(v(1)), second.fields().versions());
    PlainFields card = PlainFields.ofTexts(Map.of("card", "3"));
    assertEquals(Set.of(v(2)), flapping.change(second, card).after().versions());
    assertEquals(Set.of(v(1)), flapping.change(second, card).after().versions());
  }

  private static Keystore flippedBack(Keystore now) {
    var versions = new TreeMap<>(now.versions());
    versions.replaceAll((version, known) ->
        new VersionEntry(
            known.provider(),
            known.sentinel(),
            version.equals(v(1)) ? VersionState.ACTIVE : VersionState.DECRYPT_ONLY));
    return new Keystore(
        now.identity(),
        now.epoch() + 1,
        v(1),
        new TreeSet<>(Set.of(v(1), v(2))),
        now.timings(),
        now.rotation(),
        versions,
        now.activations());
  }
}
