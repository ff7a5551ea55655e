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
import keyfleet.kms.v2.DecryptRequest;
import keyfleet.kms.v2.DecryptResponse;
import keyfleet.kms.v2.EncryptRequest;
import keyfleet.kms.v2.EncryptResponse;
import keyfleet.kms.v2.StatusRequest;
import keyfleet.kms.v2.StatusResponse;
import keyfleet.member.keys.LoadedKeys;

/// A plugin without a socket, threads or a fleet: the test says what the fleet says, moves the
/// clock, and turns the keeper.
final class Stand {
  static final LocalKekLimits LIMITS = new LocalKekLimits(100, 200, Duration.ofDays(7), 10);
  static final Duration PROBE = Duration.ofSeconds(30);
  static final String UID = "3b5a0b2c-uid";

  final List<PluginEvent> events = Collections.synchronizedList(new ArrayList<>());
  final PluginMetrics metrics = new PluginMetrics();
  final LocalKeks cache;
  final Ledger ledger;
  final Keeper keeper;
  final AtomicBoolean rung = new AtomicBoolean();
  private final AtomicLong clock = new AtomicLong();
  private final Endpoint endpoint;
  final TestTracing tracing = new TestTracing();
  private volatile FleetWord word = new FleetWord.Alone();

  Stand(Path file, TestRemote remote) {
    this(file, remote, Hierarchy.ON, LIMITS);
  }

  Stand(Path file, TestRemote remote, Hierarchy hierarchy, LocalKekLimits limits) {
    SecureRandom random = new SecureRandom();
    Surroundings around = new Surroundings(clock::get, System::nanoTime, events::add, tracing);
    LoadedKeys keys = new LoadedKeys(TestRemote.RING, List.of(remote), random);
    this.cache = new LocalKeks(limits.cached());
    Workshop workshop =
        new Workshop(keys, new Remote(metrics, System::nanoTime), cache, random, clock::get);
    this.ledger = new Ledger(new SnapshotFile(file), events::add, clock::get);
    this.keeper =
        new Keeper(
            () -> word,
            ledger,
            new Maker(keys, workshop, hierarchy, tracing),
            new Keeper.Settings(limits, PROBE),
            around);
    Counter counter = new Counter(metrics, around, CallLog.ON);
    Flights flights = new Flights();
    Usage usage = new Usage(limits, () -> rung.set(true));
    this.endpoint =
        new Endpoint(
            ledger,
            new Encryption(ledger, workshop, flights, usage, counter),
            new Decryption(ledger, workshop, flights, counter),
            counter);
  }

  /// As if a provider had been asked and the store had told of this keystore.
  Stand says(Keystore keystore) {
    keeper.turn(); // alone: looks for keys
    word = new FleetWord.Says(keystore);
    keeper.turn();
    return this;
  }

  /// The store cannot be reached; nobody else looks after the keys.
  Stand alone() {
    word = new FleetWord.Alone();
    keeper.turn();
    return this;
  }

  Stand after(Duration time) {
    clock.addAndGet(time.toNanos());
    keeper.turn();
    return this;
  }

  Recorder<StatusResponse> statusCall() {
    Recorder<StatusResponse> call = new Recorder<>();
    endpoint.status(StatusRequest.getDefaultInstance(), call);
    return call;
  }

  String keyId() {
    return statusCall().answer().getKeyId();
  }

  Recorder<EncryptResponse> encryptCall(ByteString plaintext, String uid) {
    Recorder<EncryptResponse> call = new Recorder<>();
    endpoint.encrypt(EncryptRequest.newBuilder().setPlaintext(plaintext).setUid(uid).build(), call);
    return call;
  }

  EncryptResponse encrypt(String text) {
    return encryptCall(ByteString.copyFromUtf8(text), UID).answer();
  }

  Status encryptRefusal() {
    return encryptCall(ByteString.copyFromUtf8("x"), UID).refusal();
  }

  static DecryptRequest.Builder stored(EncryptResponse response) {
    return DecryptRequest.newBuilder()
        .setCiphertext(response.getCiphertext())
        .setKeyId(response.getKeyId())
        .putAllAnnotations(response.getAnnotationsMap())
        .setUid(UID);
  }

  Recorder<DecryptResponse> decryptCall(DecryptRequest request) {
    Recorder<DecryptResponse> call = new Recorder<>();
    endpoint.decrypt(request, call);
    return call;
  }

  String decrypt(EncryptResponse response) {
    return decryptCall(stored(response).build())
        .answer()
        .getPlaintext()
        .toString(StandardCharsets.UTF_8);
  }

  Status decryptRefusal(DecryptRequest.Builder request) {
    return decryptCall(request.build()).refusal();
  }
}
