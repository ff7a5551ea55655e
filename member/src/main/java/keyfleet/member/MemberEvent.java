package keyfleet.member;

import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;

/// Something that the operator of this process needs to know, reported once.
public sealed interface MemberEvent {
  /// One line, without the names of the process and the keyring: the log shows those.
  String message();

  /// How important the event is.
  default Severity severity() {
    return Severity.INFO;
  }

  enum Severity {
    INFO,
    /// Something does not work. It recovers by itself or needs a person.
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

  /// The process can still open, and can seal until its lease ends.
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
      return "sealing under " + version + " in epoch " + epoch;
    }
  }

  record SealingDisabled(String reason, String remedy) implements MemberEvent {
    @Override
    public String message() {
      return "cannot seal, can still open: " + reason + ". Try: " + remedy;
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

  /// The keys that the provider loaded before stay in use.
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
      return "a key provider works again; its failure was: " + fault;
    }
  }

  /// An unexpected exception, which is a bug. The next round tries again; if every round fails, the
  /// lease ends.
  record RoundFailed(String exception) implements MemberEvent {
    @Override
    public String message() {
      return "a heartbeat round failed unexpectedly, which is a bug: " + exception;
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }
}
