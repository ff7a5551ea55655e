package keyfleet.mongodb;

import static keyfleet.store.StoreFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.TreeSet;
import keyfleet.store.CollectionShape;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FenceValidatorTest {
  private static final FenceValidator TWO_FIELDS = validatorOf("card", "name");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{age: {$gte: 0}}",
        "{$and: [{age: {$gte: 0}}, {age: {$lt: 200}}]}",
        "{$and: [{$or: [{a: 1}, {b: 2}]}]}",
        "{$jsonSchema: {required: ['name']}}",
      })
  void applicationPart_isUnchanged(String json) {
    Document own = Document.parse(json);
    Document first = TWO_FIELDS.toDocument(new TreeSet<>(List.of(v(1))), own);
    assertEquals(own, TWO_FIELDS.applicationPart(own));
    assertEquals(own, TWO_FIELDS.applicationPart(first));
    // The next fence replaces the last one and is not nested in it.
    Document second =
        TWO_FIELDS.toDocument(new TreeSet<>(List.of(v(2))), TWO_FIELDS.applicationPart(first));
    assertEquals(TWO_FIELDS.toDocument(new TreeSet<>(List.of(v(2))), own), second);
  }

  @Test
  void fenceOfAnEarlierShape_isRecognized() {
    Document earlier = validatorOf("card").toDocument(new TreeSet<>(List.of(v(1))), new Document());
    assertEquals(new Document(), TWO_FIELDS.applicationPart(earlier));
  }

  private static FenceValidator validatorOf(String... fields) {
    return new FenceValidator(
        new CollectionShape("customers", "_id", new TreeSet<>(List.of(fields))));
  }
}
