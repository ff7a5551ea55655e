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

/// Checks every answer of the plugin when it arrives, and records the first failure. Thread-safe.
final class PluginChecker {
  /// What was known when a call was sent.
  ///
  /// @param generation the plugin process at that time
  record StartedCall(String method, long at, int newest, int generation, boolean kekKnown) {}

  private final KeyIdOrder keyIds = new KeyIdOrder();
  private final AllowedRefusals allowedRefusals = new AllowedRefusals();
  private final KeptCiphertexts keptCiphertexts;
  private final LongSupplier clock;
  private final AtomicReference<@Nullable SoakFailure> firstFailure = new AtomicReference<>();

  /// The local KEKs that the present process has used, by their annotations.
  private final Set<Map<String, ByteString>> knownKeks = ConcurrentHashMap.newKeySet();

  private final AtomicInteger generation = new AtomicInteger();
  private final LongAdder calls = new LongAdder();
  private final Map<Code, Long> refusals = new EnumMap<>(Code.class);

  PluginChecker(KeptCiphertexts keptCiphertexts, LongSupplier clock) {
    this.keptCiphertexts = keptCiphertexts;
    this.clock = clock;
  }

  StartedCall begin(String method) {
    return startCall(method, false);
  }

  StartedCall begin(String method, KeptCiphertext kept) {
    return startCall(method, knownKeks.contains(kept.annotations()));
  }

  private StartedCall startCall(String method, boolean known) {
    calls.increment();
    return new StartedCall(method, clock.getAsLong(), keyIds.newest(), generation.get(), known);
  }

  void checkAnswer(StartedCall call, StatusResponse answer) {
    if (!answer.getVersion().equals("v2") || !answer.getHealthz().equals("ok")) {
      throw new SoakFailure("Status shows a key_id but is not healthy: " + answer);
    }
    keyIds.observe(call.method(), answer.getKeyId(), call.newest());
  }

  KeptCiphertext checkAnswer(StartedCall call, ByteString plain, EncryptResponse answer) {
    keyIds.observe(call.method(), answer.getKeyId(), call.newest());
    KeptCiphertext kept = keptCiphertexts.keep(answer, plain);
    markKnown(call, kept);
    return kept;
  }

  void checkAnswer(StartedCall call, KeptCiphertext kept, ByteString plain) {
    kept.check(plain);
    markKnown(call, kept);
  }

  private void markKnown(StartedCall call, KeptCiphertext kept) {
    if (call.generation() == generation.get()) {
      knownKeks.add(kept.annotations());
    }
  }

  void checkRefusal(StartedCall call, Code code) {
    synchronized (refusals) {
      refusals.merge(code, 1L, Long::sum);
    }
    allowedRefusals.check(
        new RefusedCall(call.method(), code, call.kekKnown(), call.at(), clock.getAsLong()));
  }

  void recordFailure(SoakFailure failure) {
    firstFailure.compareAndSet(null, failure);
  }

  /// Throws the first recorded failure, if any.
  void throwIfFailed() {
    SoakFailure failure = firstFailure.get();
    if (failure != null) {
      throw failure;
    }
  }

  void beginFault(SoakFault fault, Scope scope) {
    allowedRefusals.begin(fault, scope, clock.getAsLong());
  }

  void endFault() {
    allowedRefusals.end(clock.getAsLong());
  }

  void allowAnotherKeyId() {
    keyIds.allowAnother();
  }

  int keyIdCount() {
    return keyIds.newest() + 1;
  }

  /// The process was killed. Returns the last ciphertexts from it.
  List<KeptCiphertext> onProcessKilled() {
    generation.incrementAndGet();
    knownKeks.clear();
    return keptCiphertexts.pinRecent();
  }

  KeptCiphertexts keptCiphertexts() {
    return keptCiphertexts;
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
