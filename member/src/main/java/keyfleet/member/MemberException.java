package keyfleet.member;

import java.time.Duration;
import keyfleet.crypto.FieldLocation;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyfleetException;
import keyfleet.crypto.KeyringName;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.StoreException;

/// Why a member could not do what the caller asked.
public sealed class MemberException extends KeyfleetException {
  private static final long serialVersionUID = 1L;

  private MemberException(String sentence, String remedy) {
    super(sentence, remedy);
  }

  private MemberException(String sentence, String remedy, Throwable cause) {
    super(sentence, remedy, cause);
  }

  /// A setting of this process is wrong. The process does not start.
  public static final class InvalidSetting extends MemberException {
    private static final long serialVersionUID = 1L;

    InvalidSetting(String sentence, String remedy) {
      super(sentence, remedy);
    }
  }

  /// Another run writes heartbeats under this instance name. This process does not start.
  public static final class NameTaken extends MemberException {
    private static final long serialVersionUID = 1L;

    NameTaken(String instance, Duration fresh) {
      super(
          "another process uses the instance name " + instance,
          "stop it, or start this one with another KEYFLEET_INSTANCE; if it has died, try again in "
              + DurationText.format(fresh));
    }
  }

  /// This process has other timings than the fleet. It does not start.
  public static final class TimingsMismatch extends MemberException {
    private static final long serialVersionUID = 1L;

    TimingsMismatch(MembershipState.DifferentTimings state) {
      super(Remedy.describe(state), Remedy.of(state));
    }
  }

  /// The process may not seal: it has not proved every key that the fleet uses, or the keyring has
  /// no key, or the keystore cannot be trusted.
  public static final class NotAdmitted extends MemberException {
    private static final long serialVersionUID = 1L;

    NotAdmitted(KeyringName keyring, MembershipState membershipState) {
      super(
          "cannot seal under keyring %s: %s".formatted(keyring, Remedy.describe(membershipState)),
          Remedy.of(keyring, membershipState));
    }
  }

  /// The store did not answer for the length of a lease. The fleet's keys may have changed since.
  public static final class LeaseExpired extends MemberException {
    private static final long serialVersionUID = 1L;

    LeaseExpired(KeyringName keyring) {
      super(
          "cannot seal under keyring "
              + keyring
              + ": the store did not answer for the length of a lease",
          "bring the store back; sealing then resumes by itself, and opening works meanwhile");
    }
  }

  /// The process has not loaded the version that a value is sealed under.
  public static final class KeyVersionNotLoaded extends MemberException {
    private static final long serialVersionUID = 1L;

    KeyVersionNotLoaded(KeyringName keyring, KekVersion version) {
      super(
          "%s %s is not loaded in this process".formatted(keyring, version),
          MissingKeyRemedy.forUnknownProvider(keyring, version));
    }
  }

  /// The value was sealed for another record, field or keyring, or under another key of the same
  /// number, or it was changed. The exception does not say which.
  public static final class ContextMismatch extends MemberException {
    private static final long serialVersionUID = 1L;

    ContextMismatch(FieldLocation location) {
      super(
          "the value cannot be opened as %s of %s"
              .formatted(location.field(), location.collection()),
          "check that the record id, field and keyring are those that it was sealed for");
    }
  }

  /// The device or service that holds the key did not answer.
  public static final class KeyUnavailable extends MemberException {
    private static final long serialVersionUID = 1L;

    KeyUnavailable(KekUnavailableException cause) {
      super("the key cannot be used now: " + cause.getMessage(), cause.remedy(), cause);
    }
  }

  /// The collection is registered for another keyring or with other fields, or its registration is
  /// not in force yet.
  public static final class NotRegistered extends MemberException {
    private static final long serialVersionUID = 1L;

    NotRegistered(String sentence, String remedy) {
      super(sentence, remedy);
    }
  }

  /// The store refuses the version that the value is sealed under: the keys changed between the
  /// seal and the write.
  public static final class Fenced extends MemberException {
    private static final long serialVersionUID = 1L;

    public Fenced(String collection, RecordWriteResult.Fenced write) {
      super(
          "collection %s now accepts only %s".formatted(collection, write.by().writable()),
          "seal the value again, then write it");
    }
  }

  /// Each attempt to write the record lost a race against another writer, or got no clear answer
  /// from the store.
  public static final class Contended extends MemberException {
    private static final long serialVersionUID = 1L;

    Contended(String collection, String id, int tries) {
      super(
          "record %s of %s could not be written in %d attempts; the last one may still take effect"
              .formatted(id, collection, tries),
          "read the record, then try again");
    }
  }

  /// The store could not be reached.
  public static final class StoreUnavailable extends MemberException {
    private static final long serialVersionUID = 1L;

    StoreUnavailable(StoreException cause) {
      super(cause.getMessage(), cause.remedy(), cause);
    }
  }
}
