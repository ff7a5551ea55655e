/// The SDK that a process embeds to become a member of the fleet: it reports which keys the process
/// has loaded, keeps its write lease, and seals and opens values. It drives no rotation.
///
/// Start reading at: [Member], [MemberBuilder], [FieldCipher], [SealedRecords].
///
/// ## For an application
///
/// ```java
/// try (Member member =
///     Member.builder(engine.kv(), keyring).provider(keys).collection("sqlite", engine, orders).join()) {
///   FieldCipher card = member.cipher("orders", "card");
///   SealedValue sealed = card.seal("o-1", "4111…");
///   String plain = card.open("o-1", sealed).text();
/// }
/// ```
///
/// | type             | task                                                                    |
/// |------------------|-------------------------------------------------------------------------|
/// | [Member]         | joins the fleet, keeps its heartbeat, leaves                            |
/// | [FieldCipher]    | seals and opens one field; every call names the record's id             |
/// | [RecordCipher]   | seals and opens all sealed fields of a record, under one version        |
/// | [SealedRecords]  | the same, with reads and conditional writes in the store                |
/// | [MemberBuilder]  | settings, among them a listener that receives each event once           |
///
/// A failure is a [MemberException] with a remedy. The application declares its collections before
/// the process joins. Joining registers them, and the round after that lets the process seal (ADR
/// 7).
///
/// | what happens                              | seals                                          | opens |
/// |-------------------------------------------|------------------------------------------------|-------|
/// | the store does not answer                 | until the lease ends                           | yes   |
/// | a key that the fleet uses is missing      | no                                             | yes   |
/// | a call to a provider or the store hangs   | until the lease ends                           | yes   |
/// | the active version changes                | under the new version after the next round, which a change hint brings forward | yes |
/// | the member is closed                      | no                                             | yes   |
///
/// ## Packages
///
/// | package                      | content                                                     |
/// |------------------------------|-------------------------------------------------------------|
/// | `keyfleet.member`            | the public API and the steps of joining ([JoinProcedure])   |
/// | `keyfleet.member.heartbeat`  | rounds: heartbeat, keystore, admission, events              |
/// | `keyfleet.member.process`    | what any long-running process needs: events for the log     |
/// | `keyfleet.member.document`   | what is stored: keystores, heartbeats, registrations        |
/// | `keyfleet.member.keys`       | the loaded KEKs and their use                               |
///
/// ## Threads
///
/// A member has two threads. `keyfleet-beat-…` runs the rounds, one at a time, about every
/// heartbeat. `keyfleet-events-…` calls the listener. Any thread may seal and open, and takes no
/// lock that a round holds. A test has neither thread and moves a clock instead: see `TestFleet` in
/// this module's test-jar.
@NullMarked
package keyfleet.member;

import org.jspecify.annotations.NullMarked;
