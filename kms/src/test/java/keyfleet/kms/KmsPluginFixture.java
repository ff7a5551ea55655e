package keyfleet.kms;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.WriteLease;
import keyfleet.kms.grpc.CallRecorder;
import keyfleet.kms.grpc.KmsGrpcService;
import keyfleet.kms.localkek.KeyHierarchy;
import keyfleet.kms.localkek.LocalKek;
import keyfleet.kms.localkek.LocalKekCache;
import keyfleet.kms.localkek.LocalKekFactory;
import keyfleet.kms.localkek.LocalKekLimits;
import keyfleet.kms.localkek.LocalKekUsage;
import keyfleet.kms.localkek.RemoteKekClient;
import keyfleet.kms.state.Announcement;
import keyfleet.kms.state.AnnouncementStore;
import keyfleet.kms.state.KeyReconciler;
import keyfleet.kms.state.PluginSnapshotFile;
import keyfleet.kms.state.WriteKeyProvisioner;
import keyfleet.kms.v2.DecryptRequest;
import keyfleet.kms.v2.DecryptResponse;
import keyfleet.kms.v2.EncryptRequest;
import keyfleet.kms.v2.EncryptResponse;
import keyfleet.kms.v2.StatusRequest;
import keyfleet.kms.v2.StatusResponse;
import keyfleet.member.MembershipState;
import keyfleet.member.MembershipState.Admitted;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.member.process.ProcessEvent;
import org.jspecify.annotations.Nullable;

/// A plugin without a socket, threads or a fleet. The test provides the keystore, advances the
/// clock and runs the reconciler.
public final class KmsPluginFixture {
  public static final LocalKekLimits LIMITS = new LocalKekLimits(100, 200, Duration.ofDays(7), 10);
  public static final Duration PROBE = Duration.ofSeconds(30);
  static final String UID = "3b5a0b2c-uid";

  public final List<ProcessEvent> events = Collections.synchronizedList(new ArrayList<>());
  final PluginMetrics metrics = new PluginMetrics();
  final LocalKekCache cache;
  public final AnnouncementStore announcements;
  public final KeyReconciler reconciler;
  final AtomicBoolean wokeReconciler = new AtomicBoolean();
  private final AtomicLong clock = new AtomicLong();
  private final KmsGrpcService kmsGrpcService;
  final RecordingTracer tracer = new RecordingTracer();
  private volatile @Nullable MembershipState memberState;

  public KmsPluginFixture(Path file, FakeRemoteProvider remote) {
    this(file, remote, KeyHierarchy.ON, LIMITS);
  }

  public KmsPluginFixture(
      Path file, FakeRemoteProvider remote, KeyHierarchy hierarchy, LocalKekLimits limits) {
    SecureRandom random = new SecureRandom();
    PluginContext context = new PluginContext(clock::get, System::nanoTime, events::add, tracer);
    LoadedKeys keys = new LoadedKeys(FakeRemoteProvider.KEYRING, List.of(remote), random);
    this.cache = new LocalKekCache(limits.cacheSize(), clock::get);
    LocalKekFactory factory =
        new LocalKekFactory(
            keys, new RemoteKekClient(metrics, System::nanoTime), cache, random, clock::get);
    this.announcements =
        new AnnouncementStore(new PluginSnapshotFile(file), events::add, clock::get);
    this.reconciler =
        new KeyReconciler(
            () -> Optional.ofNullable(memberState),
            announcements,
            new WriteKeyProvisioner(keys, factory, hierarchy, tracer),
            new KeyReconciler.Settings(limits, PROBE),
            context);
    CallRecorder recorder = new CallRecorder(metrics, context, CallLog.ON);
    LocalKekUsage usage = new LocalKekUsage(limits, () -> wokeReconciler.set(true));
    this.kmsGrpcService = new KmsGrpcService(announcements, factory, usage, recorder);
  }

  /// Loads the keys, then receives this keystore from the store.
  public KmsPluginFixture receiveKeystore(Keystore keystore) {
    reconciler.reconcile(); // not joined: refreshes the keys
    memberState = new Admitted(keystore, new WriteLease(0, keystore.epoch()));
    reconciler.reconcile();
    return this;
  }

  /// Leaves the fleet: the plugin has no store and refreshes its keys itself.
  public KmsPluginFixture leaveFleet() {
    memberState = null;
    reconciler.reconcile();
    return this;
  }

  public KmsPluginFixture advance(Duration time) {
    clock.addAndGet(time.toNanos());
    reconciler.reconcile();
    return this;
  }

  public RecordingStreamObserver<StatusResponse> statusCall() {
    RecordingStreamObserver<StatusResponse> call = new RecordingStreamObserver<>();
    kmsGrpcService.status(StatusRequest.getDefaultInstance(), call);
    return call;
  }

  public String keyId() {
    return statusCall().answer().getKeyId();
  }

  public RecordingStreamObserver<EncryptResponse> encryptCall(ByteString plaintext, String uid) {
    RecordingStreamObserver<EncryptResponse> call = new RecordingStreamObserver<>();
    kmsGrpcService.encrypt(
        EncryptRequest.newBuilder().setPlaintext(plaintext).setUid(uid).build(), call);
    return call;
  }

  public EncryptResponse encrypt(String text) {
    return encryptCall(ByteString.copyFromUtf8(text), UID).answer();
  }

  public Status encryptRefusal() {
    return encryptCall(ByteString.copyFromUtf8("x"), UID).refusal();
  }

  public static DecryptRequest.Builder decryptRequestFor(EncryptResponse response) {
    return DecryptRequest.newBuilder()
        .setCiphertext(response.getCiphertext())
        .setKeyId(response.getKeyId())
        .putAllAnnotations(response.getAnnotationsMap())
        .setUid(UID);
  }

  public RecordingStreamObserver<DecryptResponse> decryptCall(DecryptRequest request) {
    RecordingStreamObserver<DecryptResponse> call = new RecordingStreamObserver<>();
    decryptCall(request, call);
    return call;
  }

  void decryptCall(DecryptRequest request, RecordingStreamObserver<DecryptResponse> call) {
    kmsGrpcService.decrypt(request, call);
  }

  /// The local KEK that Encrypt uses.
  LocalKek writeKek() {
    return switch (announcements.get().writeKey()) {
      case Announcement.LocalWriteKey(_, LocalKek kek) -> kek;
      case Announcement.RemoteWriteKey _, Announcement.NoWriteKey _ ->
          throw new IllegalStateException("the plugin has no local KEK to write with");
    };
  }

  public String decrypt(EncryptResponse response) {
    return decryptCall(decryptRequestFor(response).build())
        .answer()
        .getPlaintext()
        .toString(StandardCharsets.UTF_8);
  }

  public Status decryptRefusal(DecryptRequest.Builder request) {
    return decryptCall(request.build()).refusal();
  }
}
