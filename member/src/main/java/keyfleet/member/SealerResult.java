package keyfleet.member;

import keyfleet.crypto.Envelope;
import keyfleet.crypto.KekVersion;

/// The result of [Sealer#seal]. A refusal ends by itself or needs a person.
public sealed interface SealerResult {
  record Sealed(Envelope envelope) implements SealerResult {}

  sealed interface Refusal extends SealerResult {}

  /// The store did not answer for the length of a lease. The fleet's keys may have changed since.
  record LeaseExpired() implements Refusal {}

  record NotAdmitted(MembershipState state) implements Refusal {}

  /// The collection is registered for another keyring or with other fields.
  record NotRegistered(String reason) implements Refusal {}

  /// The collection was registered after the last heartbeat. Sealing begins with the next one.
  record JustRegistered() implements Refusal {}

  /// The provider no longer has a version that it had before.
  record KeyNotLoaded(KekVersion version) implements Refusal {}
}
