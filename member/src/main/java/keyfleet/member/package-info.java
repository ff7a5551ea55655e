/// What a process of the fleet embeds: it says what it has loaded, keeps its write lease, seals and
/// opens. It drives nothing.
///
/// One thread calls [Membership#tick] every heartbeat. Any thread seals and opens with a [Sealer].
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
