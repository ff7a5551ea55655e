/// Keeps a process in its fleet: writes its heartbeat, reads the keystore, and decides whether the
/// process may seal.
///
/// Start reading at: [HeartbeatLoop], [Membership], [AdmissionCheck].
///
/// One round:
///
/// ```
/// load keys -> heartbeat acknowledged -> fences read -> keystore read -> admitted or not
/// ```
///
/// The order is the protocol (Join.tla): a gate stages a version and *then* lists the roster, so
/// either the gate sees this process or this process sees the staged version. The lease counts from
/// the start of the round.
///
/// | type                | task                                           |
/// |---------------------|------------------------------------------------|
/// | [Membership]       | one round, and the state that it leads to      |
/// | [HeartbeatWriter]  | this process's heartbeat in the store          |
/// | [HeartbeatSchedule] | when the next round is due                     |
/// | [MemberEventLog]   | which events a round is worth                  |
/// | [MemberThreads]    | the threads that run rounds and deliver events |
@NullMarked
package keyfleet.member.heartbeat;

import org.jspecify.annotations.NullMarked;
