package keyfleet.member;

import java.util.NavigableSet;
import java.util.Optional;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.SafeHold;
import keyfleet.keyring.Timings;
import keyfleet.keyring.WriteLease;

/// The state of a process in its fleet. The process may seal only while it is admitted and holds
/// its lease. It may always open what its keys open.
public sealed interface MembershipState {
  /// The state as a phrase for people.
  String description();

  /// The keystore that the process follows; empty if there is none or the process must not trust
  /// it.
  default Optional<Keystore> trustedKeystore() {
    return switch (this) {
      case Admitted(Keystore keystore, _) -> Optional.of(keystore);
      case ReadOnly(Keystore keystore, _) -> Optional.of(keystore);
      case NoKeystore _, InSafeHold _, NameTaken _, DifferentTimings _, NotJoined _ ->
          Optional.empty();
    };
  }

  record Admitted(Keystore keystore, WriteLease lease) implements MembershipState {
    @Override
    public String description() {
      return "admitted in epoch " + lease.epoch();
    }
  }

  /// The fleet uses versions that this process has not proved.
  record ReadOnly(Keystore keystore, NavigableSet<KekVersion> unproved) implements MembershipState {
    @Override
    public String description() {
      return "may not seal: it cannot prove " + unproved + ", which the fleet uses";
    }
  }

  record InSafeHold(SafeHold hold) implements MembershipState {
    @Override
    public String description() {
      return "safe hold: " + hold.reason();
    }
  }

  record NoKeystore() implements MembershipState {
    @Override
    public String description() {
      return "the keyring has no key yet. Try: keyfleet kek announce --version=1";
    }
  }

  /// Another run writes heartbeats under this instance name: the fleet would take two processes for
  /// one.
  record NameTaken(String run) implements MembershipState {
    @Override
    public String description() {
      return "another process has this instance name, run " + run;
    }
  }

  /// The process was started with other timings than the fleet's.
  record DifferentTimings(Timings own, Timings fleet) implements MembershipState {
    @Override
    public String description() {
      return Remedy.describe(this);
    }
  }

  /// The process has not joined yet, or has dropped out and is about to join again.
  record NotJoined(String reason) implements MembershipState {
    @Override
    public String description() {
      return reason;
    }
  }
}
