package keyfleet.member;

import java.time.Duration;
import keyfleet.crypto.FieldLocation;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;

/// Why a member could not do what it was asked: a sentence, and what to do about it. Neither holds
/// a secret.
public sealed class MemberException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String remedy;

  private MemberException(String sentence, String remedy) {
    super(sentence);
    this.remedy = remedy;
  }

  private MemberException(String sentence, String remedy, Throwable cause) {
    super(sentence, cause);
    this.remedy = remedy;
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }

  public String remedy() {
    return remedy;
  }

  /// A setting of this process is wrong; it does not start.
  public static final class InvalidSetting extends MemberException {
    private static final long serialVersionUID = 1L;

    InvalidSetting(String sentence, String remedy) {
      super(sentence, remedy);
    }
  }

  /// Another run beats under this instance name; this one does not start.
  public static final class NameTaken extends MemberException {
    private static final long serialVersionUID = 1L;

    NameTaken(String instance, Duration fresh) {
      super(
          "another process beats as " + instance,
          "stop it, or start this one under another KEYFLEET_INSTANCE; if it has died, in "
              + DurationText.format(fresh));
    }
  }

  /// The fleet has one set of timings, and this process was started with another; it does not
  /// start.
  public static final class TimingsMismatch extends MemberException {
    private static final long serialVersionUID = 1L;

    TimingsMismatch(MembershipState.DifferentTimings standing) {
      super(Remedy.describe(standing), Remedy.of(standing));
    }
  }

  /// The process reads only: it has not proved every key that the fleet uses, or there is none, or
  /// the keystore cannot be trusted.
  public static final class NotAdmitted extends MemberException {
    private static final long serialVersionUID = 1L;

    NotAdmitted(KeyringName keyring, MembershipState membershipState) {
      super(
          "nothing is sealed under %s: %s".formatted(keyring, Remedy.describe(membershipState)),
          Remedy.of(keyring, membershipState));
    }
  }

  /// The store was not heard of for the length of a lease: somebody may have changed the keys.
  public static final class LeaseExpired extends MemberException {
    private static final long serialVersionUID = 1L;

    LeaseExpired(KeyringName keyring) {
      super(
          "nothing is sealed under " + keyring + ": the store did not answer for too long",
          "bring the store back; sealing goes on by itself, and opening never stopped");
    }
  }

  /// The process does not hold the version that a value is sealed under.
  public static final class KeyVersionNotLoaded extends MemberException {
    private static final long serialVersionUID = 1L;

    KeyVersionNotLoaded(KeyringName keyring, KekVersion version) {
      super(
          "%s %s is not loaded in this process".formatted(keyring, version),
          Remedy.forMissingKey(keyring, version));
    }
  }

  /// The value was sealed for another place, under another key of the same number, or was changed.
  /// Which of these is not said.
  public static final class ContextMismatch extends MemberException {
    private static final long serialVersionUID = 1L;

    ContextMismatch(FieldLocation fieldLocation) {
      super(
          "the value cannot be opened as %s of %s"
              .formatted(fieldLocation.field(), fieldLocation.collection()),
          "check that record id, field and keyring are those it was sealed for");
    }
  }

  /// The device or service that holds the key did not answer.
  public static final class KeyUnavailable extends MemberException {
    private static final long serialVersionUID = 1L;

    KeyUnavailable(KekUnavailableException cause) {
      super(
          "the key cannot be used just now: " + cause.getMessage(),
          "try again; if it stays so: keyfleet doctor",
          cause);
    }
  }

  /// The collection belongs to another keyring, or is registered otherwise.
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
          "%s takes only %s by now".formatted(collection, write.by().writable()),
          "seal the value anew, and write it again");
    }
  }

  /// Others changed the record each time between its being read and written, or the store gave no
  /// clear answer.
  public static final class Contended extends MemberException {
    private static final long serialVersionUID = 1L;

    Contended(String collection, String id, int tries) {
      super(
          "record %s of %s could not be written in %d tries, and the last may yet arrive"
              .formatted(id, collection, tries),
          "read it, and try again");
    }
  }

  /// The store could not be asked.
  public static final class StoreUnavailable extends MemberException {
    private static final long serialVersionUID = 1L;

    StoreUnavailable(StoreException cause) {
      super(cause.getMessage(), remedy(cause), cause);
    }

    private static String remedy(StoreException cause) {
      return cause instanceof StoreRefusedException refused
          ? refused.remedy()
          : "try again when the store answers: keyfleet doctor";
    }
  }
}
