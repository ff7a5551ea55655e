package keyfleet.it.soak;

import com.google.protobuf.ByteString;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import keyfleet.it.plugin.PluginClient;
import keyfleet.it.soak.KeptCiphertexts.KeptCiphertext;
import keyfleet.it.soak.PluginChecker.StartedCall;
import keyfleet.kms.v2.DecryptRequest;
import keyfleet.kms.v2.EncryptRequest;
import keyfleet.kms.v2.EncryptResponse;
import keyfleet.kms.v2.KeyManagementServiceGrpc;
import keyfleet.kms.v2.KeyManagementServiceGrpc.KeyManagementServiceBlockingStub;
import keyfleet.kms.v2.StatusRequest;

/// Callers that keep the plugin at full load, on one connection; each calls again as soon as it has
/// an answer. One more caller requests Status all the time.
final class PluginLoad implements AutoCloseable {
  private static final int CALLERS = 16;
  private static final int PLAIN_BYTES = 32;

  /// Longer than any call to a remote may take, including its wait in the queue.
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private static final long STATUS_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /// The pause after a refusal, so that callers do not spin while the plugin is down.
  private static final long REFUSED_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final PluginChecker checker;
  private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final ManagedChannel channel;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  PluginLoad(Path socket, PluginChecker checker) {
    this.checker = checker;
    this.channel = PluginClient.channel(socket, loop);
  }

  void start(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    threads.add(Thread.ofPlatform().name("status").start(() -> repeat(this::requestStatus)));
    for (int i = 0; i < CALLERS; i++) {
      SplittableRandom own = random.split();
      threads.add(
          Thread.ofPlatform()
              .name("caller-" + i)
              .start(() -> repeat(() -> encryptAndDecrypt(own))));
    }
  }

  private void repeat(Runnable call) {
    try {
      while (!stopped) {
        call.run();
      }
    } catch (SoakFailure e) {
      checker.recordFailure(e);
    } catch (RuntimeException e) {
      checker.recordFailure(new SoakFailure("a caller ended by " + e));
    }
  }

  private KeyManagementServiceBlockingStub plugin() {
    return KeyManagementServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  private void requestStatus() {
    boolean _ = isHealthy();
    LockSupport.parkNanos(STATUS_NANOS);
  }

  boolean isHealthy() {
    // A failed connection would wait longer and longer between attempts.
    if (channel.getState(true) == ConnectivityState.TRANSIENT_FAILURE) {
      channel.resetConnectBackoff();
    }
    StartedCall call = checker.begin("Status");
    try {
      checker.checkAnswer(call, plugin().status(StatusRequest.getDefaultInstance()));
      return true;
    } catch (StatusRuntimeException e) {
      recordRefusal(call, e);
      return false;
    }
  }

  /// One Encrypt, and one Decrypt of the new or of an older ciphertext.
  private void encryptAndDecrypt(SplittableRandom random) {
    byte[] bytes = new byte[PLAIN_BYTES];
    random.nextBytes(bytes);
    Optional<KeptCiphertext> sealed = encrypt(ByteString.copyFrom(bytes));
    Optional<KeptCiphertext> older = checker.keptCiphertexts().pickAny();
    (random.nextBoolean() ? sealed : older).ifPresent(this::tryDecrypt);
  }

  private Optional<KeptCiphertext> encrypt(ByteString plain) {
    StartedCall call = checker.begin("Encrypt");
    try {
      EncryptResponse sealed =
          plugin().encrypt(EncryptRequest.newBuilder().setPlaintext(plain).setUid("soak").build());
      return Optional.of(checker.checkAnswer(call, plain, sealed));
    } catch (StatusRuntimeException e) {
      recordRefusal(call, e);
      return Optional.empty();
    }
  }

  private boolean tryDecrypt(KeptCiphertext kept) {
    DecryptRequest request =
        DecryptRequest.newBuilder()
            .setCiphertext(kept.ciphertext())
            .setKeyId(kept.keyId())
            .putAllAnnotations(kept.annotations())
            .setUid("soak")
            .build();
    StartedCall call = checker.begin("Decrypt", kept);
    try {
      checker.checkAnswer(call, kept, plugin().decrypt(request).getPlaintext());
      return true;
    } catch (StatusRuntimeException e) {
      recordRefusal(call, e);
      return false;
    }
  }

  private void recordRefusal(StartedCall call, StatusRuntimeException e) {
    checker.checkRefusal(call, e.getStatus().getCode());
    LockSupport.parkNanos(REFUSED_NANOS);
  }

  /// Decrypts all of them. Throws [SoakFailure] if one is lost.
  void decryptAll(List<KeptCiphertext> all) {
    AtomicInteger next = new AtomicInteger();
    List<Thread> openers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      openers.add(
          Thread.ofPlatform()
              .name("opener-" + i)
              .start(() -> {
                try {
                  for (int n = next.getAndIncrement(); n < all.size(); n = next.getAndIncrement()) {
                    if (!tryDecrypt(all.get(n))) {
                      throw new SoakFailure("ciphertext is lost: " + all.get(n).keyId());
                    }
                  }
                } catch (SoakFailure e) {
                  checker.recordFailure(e);
                }
              }));
    }
    openers.forEach(PluginLoad::join);
    checker.throwIfFailed();
  }

  /// Ends the callers and keeps the connection.
  void stop() {
    stopped = true;
    threads.forEach(PluginLoad::join);
    threads.clear();
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    stop();
    channel.shutdownNow();
    var _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
