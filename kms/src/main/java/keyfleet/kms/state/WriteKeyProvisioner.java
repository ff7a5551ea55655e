package keyfleet.kms.state;

import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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

/// Provides the key to write under for an activation. Its calls to the remote have a time limit.
/// For one thread.
public final class WriteKeyProvisioner {
  sealed interface ProvisionResult {}

  record Provisioned(WriteKey writeKey) implements ProvisionResult {}

  record NotProvisioned(CallRefusal refusal) implements ProvisionResult {}

  /// More than the three seconds that an API server waits, and short enough for a person to watch.
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

  private final LoadedKeys keys;
  private final LocalKekFactory factory;
  private final KeyHierarchy hierarchy;
  private final @Nullable PluginTracer tracer;

  /// The key that was last proved against the keystore.
  private @Nullable Kek provedKek;

  public WriteKeyProvisioner(
      LoadedKeys keys,
      LocalKekFactory factory,
      KeyHierarchy hierarchy,
      @Nullable PluginTracer tracer) {
    this.keys = keys;
    this.factory = factory;
    this.hierarchy = hierarchy;
    this.tracer = tracer;
  }

  ProvisionResult provision(Keystore keystore, Activation activation) {
    KekVersion version = activation.version();
    if (!keystore.stateOf(version).map(VersionState::isProofRequired).orElse(false)) {
      return new NotProvisioned(
          CallRefusal.actionRequired(
              "%s is %s, so nothing may be sealed under it"
                  .formatted(
                      version, keystore.stateOf(version).orElse(VersionState.DESTROYED).text())));
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
    boolean provedBefore =
        hierarchy == KeyHierarchy.ON
            && kek.equals(provedKek); // without local KEKs this is the only probe
    if (!provedBefore && !keys.canProve(keystore, activation.version())) {
      return new NotProvisioned(
          CallRefusal.unavailable(
              activation.version()
                  + " cannot be proved: its provider does not answer or has other bytes"));
    }
    provedKek = kek;
    String keyringId = keystore.identity().id();
    KmsKeyId keyId = KmsKeyId.of(keyringId, activation);
    return new Provisioned(
        switch (hierarchy) {
          case ON -> new LocalWriteKey(keyId, createLocalKek(keyringId, keyId, kek));
          case OFF -> new RemoteWriteKey(keyId, kek);
        });
  }

  private LocalKek createLocalKek(String keyringId, KmsKeyId keyId, Kek kek) {
    TraceSpan span =
        tracer == null ? NoopTraceSpan.NONE : tracer.startBackgroundWork(Stage.MAKE_LOCAL_KEK);
    if (span.isRecorded()) {
      span.describe(new Subject("", keyId.hash(), List.of(KmsCiphertext.ANNOTATION)));
    }
    Status.Code outcome = Status.Code.UNAVAILABLE;
    try {
      LocalKek made = CurrentSpan.callIn(span, () -> factory.create(keyringId, keyId, kek));
      outcome = Status.Code.OK;
      return made;
    } finally {
      span.end(outcome.value());
    }
  }

  /// Keeps the announced write key out of the reach of eviction.
  void keepInCache(WriteKey announced) {
    if (announced instanceof LocalWriteKey(_, LocalKek kek)) {
      factory.keepWriteKey(kek);
    }
  }

  LoadedKeys keys() {
    return keys;
  }

  /// Whether the remote wraps and unwraps under `version` now.
  boolean isRemoteAnswering(Keystore keystore, KekVersion version) {
    try {
      return RemoteKekClient.callWithin(CALL_TIMEOUT, () -> keys.canProve(keystore, version));
    } catch (KekUnavailableException e) {
      return false;
    }
  }
}
