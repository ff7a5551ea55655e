package keyfleet.member;

import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;

/// Something that an operator of this process would want to read, once.
public sealed interface MemberEvent {
  /// One line, without the names of process and keyring, which the reader of a log knows.
  String message();

  /// How much it matters.
  default Severity severity() {
    return Severity.INFO;
  }

  enum Severity {
    INFO,
    /// Something is missing, and mends itself or waits for a person.
    WARNING
  }

  record Joined(String instance, KeyringName keyring) implements MemberEvent {
    @Override
    public String message() {
      return "joined the fleet of keyring " + keyring + " as " + instance;
    }
  }

  record Left(String instance, KeyringName keyring) implements MemberEvent {
    @Override
    public String message() {
      return "left the fleet of keyring " + keyring + " as " + instance;
    }
  }

  /// Opening goes on; sealing does until the lease ends.
  record StoreUnreachable(String reason) implements MemberEvent {
    @Override
    public String message() {
      return "the store does not answer: " + reason;
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }

  record StoreRecovered() implements MemberEvent {
    @Override
    public String message() {
      return "the store answers again";
    }
  }

  record SealingEnabled(KekVersion version, long epoch) implements MemberEvent {
    @Override
    public String message() {
      return "seals under " + version + " in epoch " + epoch;
    }
  }

  record SealingDisabled(String reason, String remedy) implements MemberEvent {
    @Override
    public String message() {
      return "reads only, seals nothing: " + reason + ". Try: " + remedy;
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }

  record EpochChanged(long before, long now, KekVersion active) implements MemberEvent {
    @Override
    public String message() {
      return "the keystore went from epoch %d to %d: %s is active".formatted(before, now, active);
    }
  }

  record KeyLoaded(KekVersion version, String provider) implements MemberEvent {
    @Override
    public String message() {
      return "loaded " + version + " from " + provider;
    }
  }

  record KeyUnloaded(KekVersion version) implements MemberEvent {
    @Override
    public String message() {
      return version + " is no longer loaded";
    }
  }

  /// What it gave before stays in use.
  record ProviderFailed(String fault) implements MemberEvent {
    @Override
    public String message() {
      return "a key provider failed: " + fault;
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }

  record ProviderRecovered(String fault) implements MemberEvent {
    @Override
    public String message() {
      return "no longer the case: " + fault;
    }
  }

  /// Nobody foresaw it. The next round tries again; without any, the lease ends.
  record RoundFailed(String exception) implements MemberEvent {
    @Override
    public String message() {
      return "a round broke off, which is a defect: " + exception;
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }
}
