package keyfleet.control.rotation;

import keyfleet.keyring.RotationId;
import keyfleet.store.Document;

/// The rate that an operator has set for one rotation. It replaces the setting of its driver.
///
/// @param perSecond records per second; 0 for no limit
public record RotationRate(RotationId rotation, int perSecond) {
  public RotationRate {
    if (perSecond < 0) {
      throw new IllegalArgumentException("a rate must not be negative: " + perSecond);
    }
  }

  /// As a phrase for people.
  public String description() {
    return perSecond == 0 ? "unlimited" : perSecond + " records per second";
  }

  /// At most one second of records: a driver writes its heartbeat between two batches.
  int batchSize() {
    return perSecond == 0 ? Integer.MAX_VALUE : perSecond;
  }

  Document toDocument() {
    return Document.builder()
        .text("rotation", rotation.value())
        .number("per_second", perSecond)
        .build();
  }

  static RotationRate parse(Document document) {
    return document.as(it ->
        new RotationRate(
            new RotationId(it.text("rotation")), Math.toIntExact(it.number("per_second"))));
  }
}
