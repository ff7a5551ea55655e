package keyfleet.control;

import java.util.List;
import keyfleet.keyring.RotationId;
import keyfleet.store.Document;

/// How far a rotation has come, for people. Nothing is decided by it.
///
/// @param note why it does not go on just now, or empty
/// @param failures the first of the failed records
public record Progress(
    RotationId rotation, long total, long done, long failed, String note, List<Failure> failures) {
  /// The ledger lists no more than these; `failed` counts all.
  public static final int MAX_LISTED = 100;

  /// A record that could not be moved, and why.
  public record Failure(String collection, String id, String reason) {}

  public Progress {
    failures = failures.stream().limit(MAX_LISTED).toList();
  }

  static Progress none(RotationId rotation, String note) {
    return new Progress(rotation, 0, 0, 0, note, List.of());
  }

  Progress noting(String newNote) {
    return new Progress(rotation, total, done, failed, newNote, failures);
  }

  Document written() {
    return Document.builder()
        .text("rotation", rotation.value())
        .number("total", total)
        .number("done", done)
        .number("failed_records", failed)
        .text("note", note)
        .documents("failures", failures.stream().map(Progress::written).toList())
        .build();
  }

  private static Document written(Failure failure) {
    return Document.builder()
        .text("collection", failure.collection())
        .text("id", failure.id())
        .text("reason", failure.reason())
        .build();
  }

  static Progress read(Document document) {
    return document.as(it ->
        new Progress(
            new RotationId(it.text("rotation")),
            it.number("total"),
            it.number("done"),
            it.number("failed_records"),
            it.text("note"),
            it.documents("failures").stream()
                .map(one -> new Failure(one.text("collection"), one.text("id"), one.text("reason")))
                .toList()));
  }
}
