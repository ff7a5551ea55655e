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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import keyfleet.keyring.Keystore;
import keyfleet.kms.grpc.CallRecorder;
import keyfleet.kms.grpc.DecryptHandler;
import keyfleet.kms.grpc.EncryptHandler;
import keyfleet.kms.grpc.KmsGrpcService;
import keyfleet.kms.grpc.UnwrapCoalescer;
import keyfleet.kms.localkek.KeyHierarchy;
import keyfleet.kms.localkek.LocalKekCache;
import keyfleet.kms.localkek.LocalKekFactory;
import keyfleet.kms.localkek.LocalKekLimits;
import keyfleet.kms.localkek.LocalKekUsage;
import keyfleet.kms.localkek.RemoteKekClient;
import keyfleet.kms.state.AnnouncementStore;
import keyfleet.kms.state.FleetState;
import keyfleet.kms.state.KeyReconciler;
import keyfleet.kms.state.PluginSnapshotFile;
import keyfleet.kms.state.WriteKeyProvisioner;
import keyfleet.kms.v2.DecryptRequest;
import keyfleet.kms.v2.DecryptResponse;
import keyfleet.kms.v2.EncryptRequest;
import keyfleet.kms.v2.EncryptResponse;
import keyfleet.kms.v2.StatusRequest;
import keyfleet.kms.v2.StatusResponse;
import keyfleet.member.keys.LoadedKeys;

/// A plugin without a socket, threads or a fleet: the test says what the fleet says, moves the
/// clock, and turns the keeper.
public final class KmsPluginFixture {
  public static final LocalKekLimits LIMITS = new LocalKekLimits(100, 200, Duration.ofDays(7), 10);
  public static final Duration PROBE = Duration.ofSeconds(30);
  static final String UID = "3b5a0b2c-uid";

  public final List<PluginEvent> events = Collections.synchronizedList(new ArrayList<>());
  final PluginMetrics metrics = new PluginMetrics();
  final LocalKekCache cache;
  public final AnnouncementStore ledger;
  public final KeyReconciler keeper;
  final AtomicBoolean rung = new AtomicBoolean();
  private final AtomicLong clock = new AtomicLong();
  private final KmsGrpcService endpoint;
  final RecordingTracer tracing = new RecordingTracer();
  private volatile FleetState word = new FleetState.NotJoined();

  public KmsPluginFixture(Path file, FakeRemoteProvider remote) {
    this(file, remote, KeyHierarchy.ON, LIMITS);
  }

  public KmsPluginFixture(
      Path file, FakeRemoteProvider remote, KeyHierarchy hierarchy, LocalKekLimits limits) {
    SecureRandom random = new SecureRandom();
    PluginContext around = new PluginContext(clock::get, System::nanoTime, events::add, tracing);
    LoadedKeys keys = new LoadedKeys(FakeRemoteProvider.RING, List.of(remote), random);
    this.cache = new LocalKekCache(limits.cached());
    LocalKekFactory workshop =
        new LocalKekFactory(
            keys, new RemoteKekClient(metrics, System::nanoTime), cache, random, clock::get);
    this.ledger = new AnnouncementStore(new PluginSnapshotFile(file), events::add, clock::get);
    this.keeper =
        new KeyReconciler(
            () -> word,
            ledger,
            new WriteKeyProvisioner(keys, workshop, hierarchy, tracing),
            new KeyReconciler.Settings(limits, PROBE),
            around);
    CallRecorder counter = new CallRecorder(metrics, around, CallLog.ON);
    UnwrapCoalescer flights = new UnwrapCoalescer();
    LocalKekUsage usage = new LocalKekUsage(limits, () -> rung.set(true));
    this.endpoint =
        new KmsGrpcService(
            ledger,
            new EncryptHandler(ledger, workshop, flights, usage, counter),
            new DecryptHandler(ledger, workshop, flights, counter),
            counter);
  }

  /// As if a provider had been asked and the store had told of this keystore.
  public KmsPluginFixture says(Keystore keystore) {
    keeper.turn(); // alone: looks for keys
    word = new FleetState.KeystoreAvailable(keystore);
    keeper.turn();
    return this;
  }

  /// The store cannot be reached; nobody else looks after the keys.
  public KmsPluginFixture alone() {
    word = new FleetState.NotJoined();
    keeper.turn();
    return this;
  }

  public KmsPluginFixture after(Duration time) {
    clock.addAndGet(time.toNanos());
    keeper.turn();
    return this;
  }

  public RecordingStreamObserver<StatusResponse> statusCall() {
    RecordingStreamObserver<StatusResponse> call = new RecordingStreamObserver<>();
    endpoint.status(StatusRequest.getDefaultInstance(), call);
    return call;
  }

  public String keyId() {
    return statusCall().answer().getKeyId();
  }

  public RecordingStreamObserver<EncryptResponse> encryptCall(ByteString plaintext, String uid) {
    RecordingStreamObserver<EncryptResponse> call = new RecordingStreamObserver<>();
    endpoint.encrypt(EncryptRequest.newBuilder().setPlaintext(plaintext).setUid(uid).build(), call);
    return call;
  }

  public EncryptResponse encrypt(String text) {
    return encryptCall(ByteString.copyFromUtf8(text), UID).answer();
  }

  public Status encryptRefusal() {
    return encryptCall(ByteString.copyFromUtf8("x"), UID).refusal();
  }

  public static DecryptRequest.Builder stored(EncryptResponse response) {
    return DecryptRequest.newBuilder()
        .setCiphertext(response.getCiphertext())
        .setKeyId(response.getKeyId())
        .putAllAnnotations(response.getAnnotationsMap())
        .setUid(UID);
  }

  public RecordingStreamObserver<DecryptResponse> decryptCall(DecryptRequest request) {
    RecordingStreamObserver<DecryptResponse> call = new RecordingStreamObserver<>();
    endpoint.decrypt(request, call);
    return call;
  }

  public String decrypt(EncryptResponse response) {
    return decryptCall(stored(response).build())
        .answer()
        .getPlaintext()
        .toString(StandardCharsets.UTF_8);
  }

  public Status decryptRefusal(DecryptRequest.Builder request) {
    return decryptCall(request.build()).refusal();
  }
}
