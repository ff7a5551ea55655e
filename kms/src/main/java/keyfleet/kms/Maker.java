package keyfleet.kms;

import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Keystore.Activation;
import keyfleet.keyring.VersionState;
import keyfleet.kms.Announced.Locally;
import keyfleet.kms.Announced.Remotely;
import keyfleet.kms.Announced.Writing;
import keyfleet.kms.TraceSpan.Stage;
import keyfleet.kms.TraceSpan.Subject;
import keyfleet.member.keys.LoadedKeys;
import org.jspecify.annotations.Nullable;

/// Makes a plugin able to write under an activation, by calls to the remote that have a limit. For
/// one thread.
final class Maker {
  sealed interface Outcome {}

  record Made(Writing writing) implements Outcome {}

  record NotMade(Refusal why) implements Outcome {}

  /// More than the three seconds that an API server waits, and less than it takes for a person to
  /// wonder.
  private static final Duration LONGEST_CALL = Duration.ofSeconds(10);

  private final LoadedKeys keys;
  private final Workshop workshop;
  private final Hierarchy hierarchy;
  private final @Nullable Tracing tracing;

  /// The key that was last found to be the one the keystore means.
  private @Nullable Kek proved;

  Maker(LoadedKeys keys, Workshop workshop, Hierarchy hierarchy, @Nullable Tracing tracing) {
    this.keys = keys;
    this.workshop = workshop;
    this.hierarchy = hierarchy;
    this.tracing = tracing;
  }

  Outcome make(Keystore keystore, Activation activation) {
    KekVersion version = activation.version();
    if (!keystore.stateOf(version).map(VersionState::isProofRequired).orElse(false)) {
      return new NotMade(
          Refusal.notAllowed(
              "%s is %s, and nothing is sealed under it"
                  .formatted(version, keystore.stateOf(version).orElse(VersionState.DESTROYED))));
    }
    Optional<Kek> kek = keys.find(version);
    if (kek.isEmpty()) {
      return new NotMade(Refusal.notNow(version + " is not loaded in this plugin"));
    }
    try {
      return Remote.within(LONGEST_CALL, () -> made(keystore, activation, kek.get()));
    } catch (KekUnavailableException e) {
      return new NotMade(Refusal.notNow(e.getMessage()));
    }
  }

  private Outcome made(Keystore keystore, Activation activation, Kek kek) {
    boolean known = hierarchy == Hierarchy.ON && kek.equals(proved); // else nothing else is asked
    if (!known && !keys.canProve(keystore, activation.version())) {
      return new NotMade(
          Refusal.notNow(
              activation.version()
                  + " cannot be proved: its provider does not answer, or has other bytes"));
    }
    proved = kek;
    String keyringId = keystore.identity().id();
    KeyId keyId = KeyId.of(keyringId, activation);
    return new Made(
        switch (hierarchy) {
          case ON -> new Locally(keyId, localKek(keyringId, keyId, kek));
          case OFF -> new Remotely(keyId, kek);
        });
  }

  private LocalKek localKek(String keyringId, KeyId keyId, Kek kek) {
    TraceSpan span = tracing == null ? NoSpan.NONE : tracing.own(Stage.MAKE_LOCAL_KEK);
    if (span.isRecorded()) {
      span.about(new Subject("", keyId.hash(), List.of(Sealed.ANNOTATION)));
    }
    Status.Code outcome = Status.Code.UNAVAILABLE;
    try {
      LocalKek made = CurrentSpan.during(span, () -> workshop.make(keyringId, keyId, kek));
      outcome = Status.Code.OK;
      return made;
    } finally {
      span.end(outcome.value());
    }
  }

  Set<KekVersion> held() {
    return keys.providerByVersion().keySet();
  }

  boolean holds(KekVersion version) {
    return keys.find(version).isPresent();
  }

  /// Looks for keys, while nobody else does. Returns what went wrong, in words.
  List<String> refresh() {
    return keys.refresh();
  }

  /// Whether the remote wraps and unwraps under `version` just now.
  boolean answers(Keystore keystore, KekVersion version) {
    try {
      return Remote.within(LONGEST_CALL, () -> keys.canProve(keystore, version));
    } catch (KekUnavailableException e) {
      return false;
    }
  }
}
