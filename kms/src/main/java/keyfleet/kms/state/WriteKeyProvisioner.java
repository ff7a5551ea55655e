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

  record Provisioned(WriteKey writeKey) implements ProvisionResult {}

  record NotProvisioned(CallRefusal refusal) implements ProvisionResult {}

  /// More than the three seconds that an API server waits, and less than it takes for a person to
  /// wonder.
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

  private final LoadedKeys keys;
  private final LocalKekFactory localKekFactory;
  private final KeyHierarchy keyHierarchy;
  private final @Nullable PluginTracer pluginTracer;

  /// The key that was last found to be the one the keystore means.
  private @Nullable Kek provedKek;

  public WriteKeyProvisioner(
      LoadedKeys keys,
      LocalKekFactory localKekFactory,
      KeyHierarchy keyHierarchy,
      @Nullable PluginTracer pluginTracer) {
    this.keys = keys;
    this.localKekFactory = localKekFactory;
    this.keyHierarchy = keyHierarchy;
    this.pluginTracer = pluginTracer;
  }

  ProvisionResult provision(Keystore keystore, Activation activation) {
    KekVersion version = activation.version();
    if (!keystore.stateOf(version).map(VersionState::isProofRequired).orElse(false)) {
      return new NotProvisioned(
          CallRefusal.actionRequired(
              "%s is %s, and nothing is sealed under it"
                  .formatted(version, keystore.stateOf(version).orElse(VersionState.DESTROYED))));
    }
    Optional<Kek> kek = keys.find(version);
    if (kek.isEmpty()) {
      return new NotProvisioned(CallRefusal.unavailable(version + " is not loaded in this plugin"));
    }
    try {
      return RemoteKekClient.callWithin(
          CALL_TIMEOUT, () -> tryProvision(keystore, activation, kek.get()));
    } catch (KekUnavailableException e) {
      return new NotProvisioned(CallRefusal.unavailable(e.getMessage()));
    }
  }

  private ProvisionResult tryProvision(Keystore keystore, Activation activation, Kek kek) {
    boolean known =
        keyHierarchy == KeyHierarchy.ON && kek.equals(provedKek); // else nothing else is asked
    if (!known && !keys.canProve(keystore, activation.version())) {
      return new NotProvisioned(
          CallRefusal.unavailable(
              activation.version()
                  + " cannot be proved: its provider does not answer, or has other bytes"));
    }
    provedKek = kek;
    String keyringId = keystore.identity().id();
    KmsKeyId kmsKeyId = KmsKeyId.of(keyringId, activation);
    return new Provisioned(
        switch (keyHierarchy) {
          case ON -> new LocalWriteKey(kmsKeyId, createLocalKek(keyringId, kmsKeyId, kek));
          case OFF -> new RemoteWriteKey(kmsKeyId, kek);
        });
  }

  private LocalKek createLocalKek(String keyringId, KmsKeyId kmsKeyId, Kek kek) {
    TraceSpan span =
        pluginTracer == null
            ? NoopTraceSpan.NONE
            : pluginTracer.startBackgroundWork(Stage.MAKE_LOCAL_KEK);
    if (span.isRecorded()) {
      span.describe(new Subject("", kmsKeyId.hash(), List.of(KmsCiphertext.ANNOTATION)));
    }
    Status.Code outcome = Status.Code.UNAVAILABLE;
    try {
      LocalKek made =
          CurrentSpan.callIn(span, () -> localKekFactory.create(keyringId, kmsKeyId, kek));
      outcome = Status.Code.OK;
      return made;
    } finally {
      span.end(outcome.value());
    }
  }

  Set<KekVersion> loadedVersions() {
    return keys.providerByVersion().keySet();
  }

  boolean hasKey(KekVersion version) {
    return keys.find(version).isPresent();
  }

  /// Looks for keys, while nobody else does. Returns what went wrong, in words.
  List<String> refresh() {
    return keys.refresh();
  }

  /// Whether the remote wraps and unwraps under `version` just now.
  boolean isRemoteAnswering(Keystore keystore, KekVersion version) {
    try {
      return RemoteKekClient.callWithin(CALL_TIMEOUT, () -> keys.canProve(keystore, version));
    } catch (KekUnavailableException e) {
      return false;
    }
  }
}
