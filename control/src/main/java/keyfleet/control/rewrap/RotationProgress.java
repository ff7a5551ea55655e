package keyfleet.control.rewrap;

import java.util.List;
import keyfleet.keyring.RotationId;
import keyfleet.store.Document;

/// The progress of a rotation, for people. No driver decides by it.
///
/// @param note why the rotation waits now, or how a dry run ended, or empty
/// @param failures the first failed records
public record RotationProgress(
    RotationId rotation, long total, long done, long failed, String note, List<Failure> failures) {
  /// The most failures that are listed; `failed` counts all.
  public static final int MAX_LISTED = 100;

  /// The note of a dry run in which each record would succeed.
  public static final String READY = "ready";

  /// A record that could not be rewrapped, and the reason.
  public record Failure(String collection, String id, String reason) {}

  public RotationProgress {
    failures = failures.stream().limit(MAX_LISTED).toList();
  }

  /// Whether this is the report of a dry run that passed the gate.
  public boolean hasPassedGate() {
    return note.equals(READY) || failed > 0;
  }

  public static RotationProgress ofNote(RotationId rotation, String note) {
    return new RotationProgress(rotation, 0, 0, 0, note, List.of());
  }

  public RotationProgress withNote(String newNote) {
    return new RotationProgress(rotation, total, done, failed, newNote, failures);
  }

  public Document toDocument() {
    return Document.builder()
        .text("rotation", rotation.value())
        .number("total", total)
        .number("done", done)
        .number("failed_records", failed)
        .text("note", note)
        .documents("failures", failures.stream().map(RotationProgress::toDocument).toList())
        .build();
  }

  private static Document toDocument(Failure failure) {
    return Document.builder()
        .text("collection", failure.collection())
        .text("id", failure.id())
        .text("reason", failure.reason())
        .build();
  }

  public static RotationProgress parse(Document document) {
    return document.as(it ->
        new RotationProgress(
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
