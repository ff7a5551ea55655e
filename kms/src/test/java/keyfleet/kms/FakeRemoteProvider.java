package keyfleet.kms;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.SecretBytes;
import keyfleet.crypto.SoftwareKek;
import keyfleet.providers.KekProvider;
import keyfleet.providers.RequestUid;
import keyfleet.providers.TraceHeaders;
import org.jspecify.annotations.Nullable;

/// A provider that counts the calls to its KEKs. Tests make it fail, block its calls, or let it
/// answer only some.
public final class FakeRemoteProvider implements KekProvider {
  static final KeyringName KEYRING = new KeyringName("kms");

  private final Map<Integer, CountedKek> keks = new TreeMap<>();
  private final List<Integer> hiddenVersions = new ArrayList<>();
  final AtomicInteger wraps = new AtomicInteger();
  final AtomicInteger unwraps = new AtomicInteger();

  /// The request UID of the last call; empty if there was none.
  volatile String uid = "";

  /// The trace header of the last call; empty if there was none.
  volatile String trace = "";

  private volatile boolean down;

  /// Thrown by each call; a bug of a provider.
  private volatile @Nullable RuntimeException bug;

  /// One of this many calls is answered.
  private volatile int oneIn = 1;

  private final AtomicInteger callCount = new AtomicInteger();
  private volatile @Nullable CountDownLatch gate;

  public FakeRemoteProvider(int... versions) {
    for (int version : versions) {
      give(version);
    }
  }

  public void give(int version) {
    SecretBytes bytes = SecretBytes.copyOf(key(version));
    SoftwareKek kek = new SoftwareKek(new KekVersion(version), bytes, new SecureRandom());
    keks.putIfAbsent(version, new CountedKek(kek));
    hiddenVersions.removeIf(it -> it == version);
  }

  public void hide(int version) {
    hiddenVersions.add(version);
  }

  private static byte[] key(int version) {
    byte[] key = new byte[SoftwareKek.BYTES];
    Arrays.fill(key, (byte) version);
    return key;
  }

  public void fail() {
    down = true;
  }

  public void recover() {
    down = false;
  }

  /// Makes each call throw an exception that no provider may throw; null ends it.
  void throwUnexpectedly(@Nullable RuntimeException exception) {
    bug = exception;
  }

  void answerOneIn(int calls) {
    oneIn = calls;
  }

  /// Blocks all calls until the latch opens.
  CountDownLatch holdCalls() {
    CountDownLatch held = new CountDownLatch(1);
    gate = held;
    return held;
  }

  public int calls() {
    return wraps.get() + unwraps.get();
  }

  public void resetCounts() {
    wraps.set(0);
    unwraps.set(0);
  }

  @Override
  public String name() {
    return "file";
  }

  @Override
  public KekSet load() {
    return KekSet.of(
        KEYRING,
        keks.entrySet().stream()
            .filter(it -> !hiddenVersions.contains(it.getKey()))
            .map(Map.Entry::getValue)
            .toList());
  }

  @Override
  public void close() {}

  private void call(AtomicInteger counter) {
    CountDownLatch held = gate;
    try {
      if (held != null) {
        held.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    RuntimeException unexpected = bug;
    if (unexpected != null) {
      throw unexpected;
    }
    if (down) {
      throw new KekUnavailableException("the test's remote is down");
    }
    if (callCount.incrementAndGet() % oneIn != 0) {
      throw new KekUnavailableException("the test's remote answers one call in " + oneIn);
    }
    uid = RequestUid.current().orElse("");
    trace = TraceHeaders.current().getOrDefault("traceparent", "");
    counter.incrementAndGet();
  }

  private final class CountedKek implements Kek {
    private final SoftwareKek kek;

    CountedKek(SoftwareKek kek) {
      this.kek = kek;
    }

    @Override
    public KekVersion version() {
      return kek.version();
    }

    @Override
    public byte[] wrap(Dek dek, byte[] aad) {
      call(wraps);
      return kek.wrap(dek, aad);
    }

    @Override
    public Optional<Dek> unwrap(byte[] wrapped, byte[] aad) {
      call(unwraps);
      return kek.unwrap(wrapped, aad);
    }
  }
}
