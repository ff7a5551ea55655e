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
import keyfleet.store.ContractSuite;
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
public interface EnvelopeScannerContract extends ContractSuite {
  @Override
  EnvelopeScannerFixture fixture();

  private static Finding finding(
      String collection, String field, Encoding encoding, Map<KekVersion, Long> versions) {
    return new Finding(collection, field, encoding, new TreeMap<>(versions), 0);
  }

  private static EnvelopeScan scanAll(EnvelopeScannerFixture fixture) {
    return fixture.engine().scanForEnvelopes(Scope.whole(Set.of()));
  }

  private static byte[] plainBytes() {
    return "no envelope".getBytes(UTF_8);
  }

  private static byte[] envelopeBytes(int version) {
    return sealed(version).toArray();
  }

  @Test
  default void undeclaredEnvelopes_areCountedByVersion(EnvelopeScannerFixture fixture) {
    fixture.createCollection("customers");
    fixture.addRecord("customers", envelopeBytes(1), plainBytes(), "a");
    fixture.addRecord("customers", envelopeBytes(1), plainBytes(), "b");
    fixture.addRecord("customers", envelopeBytes(2), envelopeBytes(3), "c");
    fixture.createCollection("orders");
    fixture.addRecord("orders", plainBytes(), envelopeBytes(7), "d");
    assertEquals(
        Set.of(
            finding("customers", "secret", Encoding.BYTES, Map.of(v(1), 2L, v(2), 1L)),
            finding("customers", "other", Encoding.BYTES, Map.of(v(3), 1L)),
            finding("orders", "other", Encoding.BYTES, Map.of(v(7), 1L))),
        Set.copyOf(scanAll(fixture).undeclared()));
  }

  @Test
  default void declaredFields_areSkipped(EnvelopeScannerFixture fixture) {
    fixture.createCollection("customers");
    fixture.addRecord("customers", envelopeBytes(1), envelopeBytes(2), "a");
    fixture.createCollection("orders");
    fixture.addRecord("orders", envelopeBytes(3), plainBytes(), "b");
    CollectionShape declared =
        new CollectionShape("customers", "id", new TreeSet<>(Set.of("secret")));
    assertEquals(
        Set.of(
            finding("customers", "other", Encoding.BYTES, Map.of(v(2), 1L)),
            finding("orders", "secret", Encoding.BYTES, Map.of(v(3), 1L))),
        Set.copyOf(fixture.engine().scanForEnvelopes(Scope.whole(Set.of(declared))).undeclared()));
  }

  @Test
  default void base64_isFoundInText(EnvelopeScannerFixture fixture) {
    fixture.createCollection("customers");
    fixture.addRecord(
        "customers",
        plainBytes(),
        plainBytes(),
        Base64.getEncoder().encodeToString(envelopeBytes(4)));
    fixture.addRecord(
        "customers",
        plainBytes(),
        plainBytes(),
        Base64.getUrlEncoder().encodeToString(envelopeBytes(4)));
    assertEquals(
        List.of(finding("customers", "note", Encoding.BASE64, Map.of(v(4), 2L))),
        scanAll(fixture).undeclared());
  }

  @Test
  default void valueThatOnlyBeginsLikeAnEnvelope_isUnreadable(EnvelopeScannerFixture fixture) {
    fixture.createCollection("customers");
    byte[] cut = Arrays.copyOf(envelopeBytes(1), 92);
    byte[] otherFormat = envelopeBytes(1);
    otherFormat[4] = 9;
    fixture.addRecord("customers", cut, plainBytes(), Base64Envelope.PREFIX);
    fixture.addRecord(
        "customers", otherFormat, plainBytes(), Base64Envelope.PREFIX + "?".repeat(200));
    assertEquals(
        Set.of(
            new Finding("customers", "secret", Encoding.BYTES, new TreeMap<>(), 2),
            new Finding("customers", "note", Encoding.BASE64, new TreeMap<>(), 2)),
        Set.copyOf(scanAll(fixture).undeclared()));
  }

  @Test
  default void otherValues_areNotFound(EnvelopeScannerFixture fixture) {
    fixture.createCollection("customers");
    byte[] almost = envelopeBytes(1);
    almost[3] = 0;
    fixture.addRecord("customers", almost, new byte[0], "60tGR");
    fixture.addRecord("customers", new byte[] {(byte) 0xEB, 'K', 'F'}, plainBytes(), "");
    assertEquals(List.of(), scanAll(fixture).undeclared());
  }

  @Test
  default void keyfleetsOwnCollections_areSkippedAndReported(EnvelopeScannerFixture fixture) {
    Kv kv = fixture.engine().kv();
    kv.create(StoreFixtures.THINGS, StoreFixtures.key("a"), new Value(sealed(1)));
    EnvelopeScan scan = scanAll(fixture);
    assertEquals(List.of(), scan.undeclared());
    assertTrue(
        scan.notScanned().stream().anyMatch(it -> it.toString().contains("Keyfleet's own")),
        () -> scan.notScanned().toString());
    assertTrue(scan.notScanned().stream().allMatch(it -> it.cause() == Cause.RULE));
  }

  @Test
  default void view_isSkippedAndReported(EnvelopeScannerFixture fixture) {
    fixture.createCollection("customers");
    fixture.addRecord("customers", envelopeBytes(1), plainBytes(), "a");
    String skippedView = fixture.createView("seen", "customers");
    EnvelopeScan scan = scanAll(fixture);
    assertEquals(1, scan.undeclared().size());
    assertTrue(
        scan.notScanned().stream().map(SkippedPart::what).anyMatch(skippedView::equals),
        () -> scan.notScanned().toString());
  }

  @Test
  default void sample_readsOnlyItsRowsAndReportsTheRest(EnvelopeScannerFixture fixture) {
    fixture.createCollection("customers");
    fixture.createCollection("orders");
    for (int i = 0; i < 5; i++) {
      fixture.addRecord("customers", envelopeBytes(1), plainBytes(), "a");
    }
    fixture.addRecord("orders", envelopeBytes(1), plainBytes(), "b");
    fixture.addRecord("orders", envelopeBytes(1), plainBytes(), "c");
    EnvelopeScan scan = fixture.engine().scanForEnvelopes(new Scope(Set.of(), 2));
    assertEquals(
        Set.of(
            finding("customers", "secret", Encoding.BYTES, Map.of(v(1), 2L)),
            finding("orders", "secret", Encoding.BYTES, Map.of(v(1), 2L))),
        Set.copyOf(scan.undeclared()));
    assertEquals(
        List.of(
            new SkippedPart(
                "customers, all but 2 rows", "only a sample was requested", Cause.RULE)),
        scan.notScanned().stream().filter(it -> it.what().contains("all but")).toList());
  }

  @Test
  default void unusualName_isScanned(EnvelopeScannerFixture fixture) {
    String unusual = "it's \"odd\" @ %s?";
    fixture.createCollection(unusual);
    fixture.addRecord(unusual, envelopeBytes(1), plainBytes(), "a");
    assertEquals(
        List.of(finding(unusual, "secret", Encoding.BYTES, Map.of(v(1), 1L))),
        scanAll(fixture).undeclared());
  }
}
