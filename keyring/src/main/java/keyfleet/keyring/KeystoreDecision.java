package keyfleet.keyring;

import java.util.List;

/// The answer of a keystore to an event or an operator command.
public sealed interface KeystoreDecision {
  /// The keystore to write, by compare-and-set on the one that was read.
  record Accepted(Keystore keystore) implements KeystoreDecision {}

  /// The event does not apply to this state: it is late, repeated, or about another rotation.
  record Ignored() implements KeystoreDecision {}

  /// A command that cannot be executed, with each reason.
  record Refused(List<String> reasons) implements KeystoreDecision {
    public Refused {
      reasons = List.copyOf(reasons);
    }

    public Refused(String reason) {
      this(List.of(reason));
    }
  }
}
