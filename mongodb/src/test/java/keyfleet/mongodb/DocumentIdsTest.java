package keyfleet.mongodb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import java.util.Random;
import keyfleet.store.RecordId;
import keyfleet.store.StoreRefusedException;
import org.bson.Document;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DocumentIdsTest {
  private static final String CHARS = " -./0123456789:@AFGZ`abcdefghz~é";

  @ParameterizedTest
  @CsvSource({
    "'',        $gte, 000000000000000000000000",
    "5,         $gte, 500000000000000000000000",
    "-,         $gte, 000000000000000000000000",
    "5f-,       $gte, 5f0000000000000000000000",
    "5f:,       $gte, 5fa000000000000000000000",
    "5fA,       $gte, 5fa000000000000000000000",
    "5fg,       $gte, 600000000000000000000000",
    "0g,        $gte, 100000000000000000000000",
    "5f0000000000000000000000,  $gt, 5f0000000000000000000000",
    "5f0000000000000000000000x, $gt, 5f0000000000000000000000",
  })
  void objectIdsAfterAText_startAtTheNextGreaterText(String text, String operator, String bound) {
    assertEquals(
        Optional.of(new Document(operator, new ObjectId(bound))), DocumentIds.objectIdsAfter(text));
  }

  @ParameterizedTest
  @CsvSource({"g", "x", "fg", "ffz"})
  void textBeyondEveryObjectId_hasNoneAfterIt(String text) {
    assertEquals(Optional.empty(), DocumentIds.objectIdsAfter(text));
  }

  @Test
  void objectIdsAfterAnyText_areThoseWhoseTextIsGreater() {
    long seed = 5;
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      String text = text(random);
      ObjectId id = new ObjectId(digits(random));
      boolean after =
          DocumentIds.ORDER.compare(new RecordId(id.toHexString()), new RecordId(text)) > 0;
      boolean found =
          DocumentIds.objectIdsAfter(text)
              .map(it ->
                  it.containsKey("$gt")
                      ? id.compareTo(it.getObjectId("$gt")) > 0
                      : id.compareTo(it.getObjectId("$gte")) >= 0)
              .orElse(false);
      assertEquals(after, found, "seed " + seed + ": " + id + " after '" + text + "'");
    }
  }

  @Test
  void idOfAnotherType_isRefused() {
    for (Object id : List.of(7, "", "x".repeat(RecordId.MAX_BYTES + 1), new Document())) {
      assertThrows(StoreRefusedException.class, () -> DocumentIds.toRecordId(id), id::toString);
    }
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder(random.nextBoolean() ? "" : digits(random));
    text.setLength(random.nextInt(text.length() + 1));
    int more = text.isEmpty() ? 1 + random.nextInt(3) : random.nextInt(3);
    for (int i = 0; i < more; i++) {
      text.append(CHARS.charAt(random.nextInt(CHARS.length())));
    }
    return text.toString();
  }

  /// Half of them at the edges, where a carry spreads over several digits.
  private static String digits(Random random) {
    StringBuilder digits = new StringBuilder();
    String from = random.nextBoolean() ? "0123456789abcdef" : "00ffa9";
    for (int i = 0; i < 24; i++) {
      digits.append(from.charAt(random.nextInt(from.length())));
    }
    return digits.toString();
  }
}
