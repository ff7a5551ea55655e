package keyfleet.it.soak;

import com.google.protobuf.ByteString;
import io.grpc.Status.Code;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import keyfleet.it.soak.AllowedRefusals.RefusedCall;
import keyfleet.it.soak.AllowedRefusals.Scope;
import keyfleet.it.soak.KeptCiphertexts.KeptCiphertext;
import keyfleet.kms.v2.EncryptResponse;
import keyfleet.kms.v2.StatusResponse;
import org.jspecify.annotations.Nullable;

/// Judges every answer of a plugin as it comes, and remembers the first broken promise. For any
/// thread.
final class PluginChecker {
  /// A call that was sent: what was known just before.
  ///
  /// @param life of which process, if it was answered by the one that was there
  record StartedCall(String method, long at, int newest, int life, boolean met) {}

  private final KeyIdOrder keyIds = new KeyIdOrder();
  private final AllowedRefusals excuses = new AllowedRefusals();
  private final KeptCiphertexts keepsakes;
  private final LongSupplier clock;
  private final AtomicReference<@Nullable SoakFailure> first = new AtomicReference<>();

  /// By their annotations: local KEKs that the present process has had in its hands.
  private final Set<Map<String, ByteString>> met = ConcurrentHashMap.newKeySet();

  private final AtomicInteger life = new AtomicInteger();
  private final LongAdder calls = new LongAdder();
  private final Map<Code, Long> refusals = new EnumMap<>(Code.class);

  PluginChecker(KeptCiphertexts keepsakes, LongSupplier clock) {
    this.keepsakes = keepsakes;
    this.clock = clock;
  }

  StartedCall begin(String method) {
    return begun(method, false);
  }

  StartedCall begin(String method, KeptCiphertext kept) {
    return begun(method, met.contains(kept.annotations()));
  }

  private StartedCall begun(String method, boolean known) {
    calls.increment();
    return new StartedCall(method, clock.getAsLong(), keyIds.newest(), life.get(), known);
  }

  void hear(StartedCall call, StatusResponse answer) {
    if (!answer.getVersion().equals("v2") || !answer.getHealthz().equals("ok")) {
      throw new SoakFailure("Status answers with trouble beside a key_id: " + answer);
    }
    keyIds.show(call.method(), answer.getKeyId(), call.newest());
  }

  KeptCiphertext hear(StartedCall call, ByteString plain, EncryptResponse answer) {
    keyIds.show(call.method(), answer.getKeyId(), call.newest());
    KeptCiphertext kept = keepsakes.keep(answer, plain);
    meet(call, kept);
    return kept;
  }

  void hear(StartedCall call, KeptCiphertext kept, ByteString plain) {
    kept.check(plain);
    meet(call, kept);
  }

  private void meet(StartedCall call, KeptCiphertext kept) {
    if (call.life() == life.get()) {
      met.add(kept.annotations());
    }
  }

  void hearRefusal(StartedCall call, Code code) {
    synchronized (refusals) {
      refusals.merge(code, 1L, Long::sum);
    }
    excuses.judge(new RefusedCall(call.method(), code, call.met(), call.at(), clock.getAsLong()));
  }

  void remember(SoakFailure broken) {
    first.compareAndSet(null, broken);
  }

  /// Throws the first broken promise, if there is one.
  void check() {
    SoakFailure broken = first.get();
    if (broken != null) {
      throw broken;
    }
  }

  void begin(SoakFault trouble, Scope extent) {
    excuses.begin(trouble, extent, clock.getAsLong());
  }

  void endTrouble() {
    excuses.end(clock.getAsLong());
  }

  void expectAnotherKeyId() {
    keyIds.expectAnother();
  }

  int keyIds() {
    return keyIds.newest() + 1;
  }

  /// The process is dead. Returns the last ciphertexts that it gave out.
  List<KeptCiphertext> buryProcess() {
    life.incrementAndGet();
    met.clear();
    return keepsakes.pinRecent();
  }

  KeptCiphertexts keepsakes() {
    return keepsakes;
  }

  long calls() {
    return calls.sum();
  }

  Map<Code, Long> refusals() {
    synchronized (refusals) {
      return Map.copyOf(refusals);
    }
  }
}
