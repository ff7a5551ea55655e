package keyfleet.kms.state;

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
import keyfleet.kms.KmsKeyId;
import keyfleet.kms.localkek.KeyHierarchy;
import keyfleet.kms.localkek.KmsCiphertext;
import keyfleet.kms.localkek.LocalKek;
import keyfleet.kms.localkek.LocalKekFactory;
import keyfleet.kms.localkek.RemoteKekClient;
import keyfleet.kms.state.Announcement.LocalWriteKey;
import keyfleet.kms.state.Announcement.RemoteWriteKey;
import keyfleet.kms.state.Announcement.WriteKey;
import keyfleet.kms.tracing.CurrentSpan;
import keyfleet.kms.tracing.NoopTraceSpan;
import keyfleet.kms.tracing.PluginTracer;
import keyfleet.kms.tracing.TraceSpan;
import keyfleet.kms.tracing.TraceSpan.Stage;
import keyfleet.kms.tracing.TraceSpan.Subject;
import keyfleet.member.keys.LoadedKeys;
import org.jspecify.annotations.Nullable;

/// Makes a plugin able to write under an activation, by calls to the remote that have a limit. For
/// one thread.
public final class WriteKeyProvisioner {
  sealed interface ProvisionResult {}

  record Provisioned(WriteKey writing) implements ProvisionResult {}

  record NotProvisioned(CallRefusal why) implements ProvisionResult {}

  /// More than the three seconds that an API server waits, and less than it takes for a person to
  /// wonder.
  private static final Duration LONGEST_CALL = Duration.ofSeconds(10);

  private final LoadedKeys keys;
  private final LocalKekFactory workshop;
  private final KeyHierarchy hierarchy;
  private final @Nullable PluginTracer tracing;

  /// The key that was last found to be the one the keystore means.
  private @Nullable Kek proved;

  public WriteKeyProvisioner(
      LoadedKeys keys,
      LocalKekFactory workshop,
      KeyHierarchy hierarchy,
      @Nullable PluginTracer tracing) {
    this.keys = keys;
    this.workshop = workshop;
    this.hierarchy = hierarchy;
    this.tracing = tracing;
  }

  ProvisionResult make(Keystore keystore, Activation activation) {
    KekVersion version = activation.version();
    if (!keystore.stateOf(version).map(VersionState::isProofRequired).orElse(false)) {
      return new NotProvisioned(
          CallRefusal.notAllowed(
              "%s is %s, and nothing is sealed under it"
                  .formatted(version, keystore.stateOf(version).orElse(VersionState.DESTROYED))));
    }
    Optional<Kek> kek = keys.find(version);
    if (kek.isEmpty()) {
      return new NotProvisioned(CallRefusal.notNow(version + " is not loaded in this plugin"));
    }
    try {
      return RemoteKekClient.within(LONGEST_CALL, () -> made(keystore, activation, kek.get()));
    } catch (KekUnavailableException e) {
      return new NotProvisioned(CallRefusal.notNow(e.getMessage()));
    }
  }

  private ProvisionResult made(Keystore keystore, Activation activation, Kek kek) {
    boolean known =
        hierarchy == KeyHierarchy.ON && kek.equals(proved); // else nothing else is asked
    if (!known && !keys.canProve(keystore, activation.version())) {
      return new NotProvisioned(
          CallRefusal.notNow(
              activation.version()
                  + " cannot be proved: its provider does not answer, or has other bytes"));
    }
    proved = kek;
    String keyringId = keystore.identity().id();
    KmsKeyId keyId = KmsKeyId.of(keyringId, activation);
    return new Provisioned(
        switch (hierarchy) {
          case ON -> new LocalWriteKey(keyId, localKek(keyringId, keyId, kek));
          case OFF -> new RemoteWriteKey(keyId, kek);
        });
  }

  private LocalKek localKek(String keyringId, KmsKeyId keyId, Kek kek) {
    TraceSpan span = tracing == null ? NoopTraceSpan.NONE : tracing.own(Stage.MAKE_LOCAL_KEK);
    if (span.isRecorded()) {
      span.about(new Subject("", keyId.hash(), List.of(KmsCiphertext.ANNOTATION)));
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
      return RemoteKekClient.within(LONGEST_CALL, () -> keys.canProve(keystore, version));
    } catch (KekUnavailableException e) {
      return false;
    }
  }
}
