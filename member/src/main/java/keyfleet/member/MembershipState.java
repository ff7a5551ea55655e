package keyfleet.member;

import java.util.NavigableSet;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.SafeHold;
import keyfleet.keyring.Timings;
import keyfleet.keyring.WriteLease;

/// How a process stands in its fleet. It may seal only while admitted and while its lease holds; it
/// may always open what its keys open.
public sealed interface MembershipState {
  /// For people: what it is, and what to do about it.
  String description();

  record Admitted(Keystore keystore, WriteLease lease) implements MembershipState {
    @Override
    public String description() {
      return "admitted in epoch " + lease.epoch();
    }
  }

  /// These versions are in use, and it has not proved them.
  record ReadOnly(Keystore keystore, NavigableSet<KekVersion> unproved) implements MembershipState {
    @Override
    public String description() {
      return "reads only: it cannot prove " + unproved + ", which the fleet uses";
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

  /// Another run beats under this instance name: two processes would be taken for one.
  record NameTaken(String run) implements MembershipState {
    @Override
    public String description() {
      return "another process has this instance name, run " + run;
    }
  }

  /// The fleet has one set of timings, and this process was started with another.
  record DifferentTimings(Timings own, Timings fleet) implements MembershipState {
    @Override
    public String description() {
      return "the fleet's timings are " + fleet + ", this process was set to " + own;
    }
  }

  /// It has not joined yet, or fell out and is about to join again.
  record NotJoined(String reason) implements MembershipState {
    @Override
    public String description() {
      return reason;
    }
  }
}
