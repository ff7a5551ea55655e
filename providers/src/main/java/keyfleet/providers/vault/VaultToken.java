package keyfleet.providers.vault;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.SecretAccess;
import keyfleet.crypto.SecretBytes;
import keyfleet.providers.ProviderException;
import keyfleet.providers.Ticker;
import keyfleet.providers.file.SecretFileReader;
import org.jspecify.annotations.Nullable;

/// The token, which stands in a file that someone else may replace, and which ends unless it is
/// renewed. Renewal is done by a caller on its own thread, when half of the token's time is over;
/// nothing runs in between.
final class VaultToken implements AutoCloseable {
  static final byte[] EMPTY_BODY = "{}".getBytes(StandardCharsets.US_ASCII);

  /// After a renewal that came to nothing.
  private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

  private final Path file;
  private final Ticker ticker;
  private final ReentrantLock renewing = new ReentrantLock();
  private volatile @Nullable SecretBytes token;
  private volatile boolean lifetimeKnown;

  /// When to renew; only if `renewable`.
  private volatile long renewAt;

  private volatile boolean renewable;

  VaultToken(Path file, Ticker ticker) {
    this.file = file;
    this.ticker = ticker;
  }

  /// Reads the file, and says whether it has another token than before.
  synchronized boolean reload() {
    byte[] text = SecretFileReader.read(file);
    try {
      checkShape(text);
      SecretBytes before = token;
      SecretBytes read = SecretBytes.copyOf(text);
      if (before != null && before.equals(read)) {
        read.close();
        return false;
      }
      token = read; // the old one may be on its way in another thread: the collector takes it
      lifetimeKnown = false;
      renewable = false;
      return true;
    } finally {
      Arrays.fill(text, (byte) 0);
    }
  }

  /// What a header can carry.
  private void checkShape(byte[] text) {
    boolean printable = text.length > 0;
    for (byte b : text) {
      printable &= b > ' ' && b < 0x7f;
    }
    if (!printable) {
      throw new ProviderException(
          file + " holds no token: one line without spaces is one",
          "write the token, and nothing else, into " + file);
    }
  }

  /// For a header, which takes a `String`.
  String headerValue() {
    SecretBytes now = token;
    if (now == null) {
      throw new KekUnavailableException(
          "no token of " + file + " is at hand: the provider is closed, or has not looked yet");
    }
    byte[] text = now.reveal(SecretAccess.granted());
    try {
      return new String(text, StandardCharsets.US_ASCII);
    } finally {
      Arrays.fill(text, (byte) 0);
    }
  }

  /// Asks once for each token. One that may not ask about itself is not renewed either.
  void fetchLifetime(Function<String, VaultResponse> read) {
    if (lifetimeKnown) {
      return;
    }
    try (VaultResponse response = read.apply("auth/token/lookup-self")) {
      long seconds = response.body().number("data.ttl").orElse(0);
      renewable = response.isOk() && seconds > 0 && response.body().isTrue("data.renewable");
      renewAt = ticker.nanos() + halfLifeNanos(seconds);
      lifetimeKnown = true;
    }
  }

  /// A token near the end of what it may live is not renewed with every call.
  private static long halfLifeNanos(long seconds) {
    return Math.max(Duration.ofSeconds(seconds).toNanos() / 2, RETRY_DELAY.toNanos());
  }

  /// One thread renews; others go on with the token as it is, which has half of its time left. A
  /// renewal that fails is no failure yet.
  void renewIfDue(Function<String, VaultResponse> write) {
    if (!renewable || ticker.nanos() - renewAt < 0 || !renewing.tryLock()) {
      return;
    }
    try (VaultResponse response = write.apply("auth/token/renew-self")) {
      long seconds = response.body().number("auth.lease_duration").orElse(0);
      renewable = response.isOk() && response.body().isTrue("auth.renewable");
      renewAt = ticker.nanos() + halfLifeNanos(seconds);
      lifetimeKnown = response.isOk();
    } catch (KekUnavailableException e) {
      renewAt = ticker.nanos() + RETRY_DELAY.toNanos();
    } finally {
      renewing.unlock();
    }
  }

  @Override
  public void close() {
    SecretBytes last = token;
    token = null;
    if (last != null) {
      last.close();
    }
  }
}
