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

/// The token of a client. It is in a file that another program may replace, and it expires unless
/// it is renewed. A caller renews it on its own thread, when half of its lifetime is over; nothing
/// runs in the background.
final class VaultToken implements AutoCloseable {
  static final byte[] EMPTY_BODY = "{}".getBytes(StandardCharsets.US_ASCII);

  /// The pause after a failed renewal.
  private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

  private final Path file;
  private final Ticker ticker;
  private final ReentrantLock renewalLock = new ReentrantLock();
  private volatile @Nullable SecretBytes token;
  private volatile boolean lifetimeKnown;

  /// When to renew; valid only if `renewable`.
  private volatile long renewAt;

  private volatile boolean renewable;

  VaultToken(Path file, Ticker ticker) {
    this.file = file;
    this.ticker = ticker;
  }

  /// Reads the file again. Returns whether it has a new token.
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
      token = read; // the old one is not closed: another thread may be sending it
      lifetimeKnown = false;
      renewable = false;
      return true;
    } finally {
      Arrays.fill(text, (byte) 0);
    }
  }

  /// Only what a header can carry is accepted.
  private void checkShape(byte[] text) {
    boolean printable = text.length > 0;
    for (byte b : text) {
      printable &= b > ' ' && b < 0x7f;
    }
    if (!printable) {
      throw new ProviderException(
          file + " holds no token: a token is one line without spaces",
          "write the token, and nothing else, into " + file);
    }
  }

  /// The token as a `String`, because a header needs one.
  String headerValue() {
    SecretBytes now = token;
    if (now == null) {
      throw new KekUnavailableException(
          "no token from "
              + file
              + " is loaded: the provider is closed or has not loaded its keys yet");
    }
    byte[] text = now.reveal(SecretAccess.granted());
    try {
      return new String(text, StandardCharsets.US_ASCII);
    } finally {
      Arrays.fill(text, (byte) 0);
    }
  }

  /// Asks once for each token. A token that may not look itself up is not renewed.
  void fetchLifetime(Function<String, VaultResponse> read) {
    if (lifetimeKnown) {
      return;
    }
    try (VaultResponse response = read.apply("auth/token/lookup-self")) {
      long seconds = response.body().number("/data/ttl").orElse(0);
      renewable = response.isOk() && seconds > 0 && response.body().isTrue("/data/renewable");
      renewAt = ticker.nanos() + halfLifeNanos(seconds);
      lifetimeKnown = true;
    }
  }

  /// At least one retry delay: a token near the end of its life is not renewed with every call.
  private static long halfLifeNanos(long seconds) {
    return Math.max(Duration.ofSeconds(seconds).toNanos() / 2, RETRY_DELAY.toNanos());
  }

  /// One thread renews; the others continue with the present token, which has half of its lifetime
  /// left. A failed renewal is not yet an error.
  void renewIfDue(Function<String, VaultResponse> write) {
    if (!renewable || ticker.nanos() - renewAt < 0 || !renewalLock.tryLock()) {
      return;
    }
    try (VaultResponse response = write.apply("auth/token/renew-self")) {
      long seconds = response.body().number("/auth/lease_duration").orElse(0);
      renewable = response.isOk() && response.body().isTrue("/auth/renewable");
      renewAt = ticker.nanos() + halfLifeNanos(seconds);
      lifetimeKnown = response.isOk();
    } catch (KekUnavailableException e) {
      renewAt = ticker.nanos() + RETRY_DELAY.toNanos();
    } finally {
      renewalLock.unlock();
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
