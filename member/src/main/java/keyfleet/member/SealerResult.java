package keyfleet.member;

import keyfleet.crypto.Envelope;
import keyfleet.crypto.KekVersion;

/// What a member's sealing came to. A refusal passes by itself, or says what a person must do.
public sealed interface SealerResult {
  record Sealed(Envelope envelope) implements SealerResult {}

  sealed interface Refusal extends SealerResult {}

  /// The store was not heard of for the length of a lease: somebody may have changed the keys.
  record LeaseExpired() implements Refusal {}

  record NotAdmitted(MembershipState state) implements Refusal {}

  /// The collection belongs to another keyring, or was registered with other fields.
  record NotRegistered(String reason) implements Refusal {}

  /// The collection was registered after the last heartbeat; with the next one sealing begins.
  record JustRegistered() implements Refusal {}

  /// The provider took back a version that it had given.
  record KeyNotLoaded(KekVersion version) implements Refusal {}
}
