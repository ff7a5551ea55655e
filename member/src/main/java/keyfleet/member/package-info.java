/// What a process of the fleet embeds: it says what it has loaded, keeps its write lease, seals and
/// opens. It drives nothing.
///
/// ## For an application
///
/// ```java
/// try (Member member =
///     Member.builder(engine.kv(), keyring).provider(keys).collection("sqlite", engine, orders).join()) {
///   FieldCipher card = member.cipher("orders", "card");
///   Sealed sealed = card.seal("o-1", "4111…");
///   String plain = card.open("o-1", sealed).text();
/// }
/// ```
///
/// | type            | what for                                                                 |
/// |-----------------|--------------------------------------------------------------------------|
/// | [Member]        | joins, beats, leaves                                                     |
/// | [FieldCipher]   | one field; the record's id is always asked for                           |
/// | [RecordCipher]  | all sealed fields of a record, under one version                         |
/// | [SealedRecords] | the same, with the store's compare-and-set                               |
/// | [MemberListener]      | is told each [MemberEvent], once                                         |
///
/// What goes wrong is a [MemberException] with a remedy. Its collections are declared before a
/// process joins: it registers them, and the round that follows lets it seal (ADR 7).
///
/// | what happens                          | seals                           | opens |
/// |---------------------------------------|---------------------------------|-------|
/// | the store is silent                   | until the lease ends            | yes   |
/// | a key that the fleet uses is missing  | no                              | yes   |
/// | a provider or the store hangs         | until the lease ends            | yes   |
/// | the keystore flips                    | under the new version by the next round, which a hint brings forward | yes |
/// | the member is closed                  | no                              | yes   |
///
/// ## Threads
///
/// A member has two of its own: `keyfleet-beat-…` makes the rounds, one at a time, about every
/// heartbeat, and `keyfleet-events-…` calls the observer. Any thread seals and opens; it takes no
/// lock that a round holds. A test has neither and moves a clock instead: `TestFleet`, in this
/// room's test-jar.
///
/// ## A round
///
/// ```
/// load keys -> heartbeat acknowledged -> keystore read -> fences looked at -> admitted or not
/// ```
///
/// The order is the protocol (Join.tla): a gate stages a version and *then* lists the roster, so
/// either it sees this process or this process sees the staged version. The lease counts from the
/// start of the round.
///
/// ## What is stored, all as JSON
///
/// | bucket               | key                       | document                                  |
/// |----------------------|---------------------------|-------------------------------------------|
/// | `keystores`          | keyring                   | [KeystoreDocument]                        |
/// | `process_heartbeats` | keyring `.` instance      | [HeartbeatDocument]; expires              |
/// | `collections`        | engine `.` collection     | [RegistrationDocument], never changed     |
///
/// Names that others choose are spelled so that they fit into a key. Fields that a reader does not
/// know are ignored; what it needs and cannot read makes the whole document malformed.
@NullMarked
package keyfleet.member;

import org.jspecify.annotations.NullMarked;
