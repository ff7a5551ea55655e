/// What a fleet stores and in which form: keystores, heartbeats and registered collections, each
/// with its JSON document and the class that reads and writes it in the store.
///
/// Start reading at: [KeystoreStore], [RosterStore], [CollectionRegistry].
///
/// | bucket               | key                       | document                                  |
/// |----------------------|---------------------------|-------------------------------------------|
/// | `keystores`          | keyring                   | [KeystoreDocument]                        |
/// | `process_heartbeats` | keyring `.` instance      | [HeartbeatDocument]; expires              |
/// | `collections`        | engine `.` collection     | [RegistrationDocument], never changed     |
///
/// [KeyEscaper] escapes names that people choose, so that they fit into a key. A reader ignores
/// fields that it does not know. If a field that it needs is missing or wrong, the whole document
/// is malformed.
@NullMarked
package keyfleet.member.document;

import org.jspecify.annotations.NullMarked;
