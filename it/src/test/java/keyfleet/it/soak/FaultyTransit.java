package keyfleet.it.soak;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// A Transit engine with one key that fails on demand, which OpenBao's does not. The `vault`
/// provider is tested with OpenBao itself in the module `providers`.
final class FaultyTransit implements AutoCloseable {
  /// How the engine answers requests.
  enum Behavior {
    NORMAL,
    BUSY,
    DOWN,
    SLOW,
    CUT
  }

  private record Answer(int status, String body) {
    static Answer ok(String data) {
      return new Answer(200, "{\"data\":{%s}}".formatted(data));
    }

    static Answer error(int status, String message) {
      return new Answer(status, "{\"errors\":[\"%s\"]}".formatted(message));
    }
  }

  private static final int KEY_BYTES = 32;
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;

  /// Longer than a caller waits, for one attempt and for all attempts.
  private static final long SLOW_NANOS = 3_000_000_000L;

  private static final Pattern WRAPPED = Pattern.compile("vault:v(\\d+):(.+)");

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final SecureRandom random = new SecureRandom();
  private final List<SecretKeySpec> versions = new CopyOnWriteArrayList<>();
  private final AtomicLong failures = new AtomicLong();
  private volatile Behavior behavior = Behavior.NORMAL;

  FaultyTransit() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    rotate();
    server.setExecutor(threads);
    server.createContext("/v1/", this::answer);
    server.start();
  }

  /// The address for a provider setting `vault:ADDRESS`.
  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  void setBehavior(Behavior newBehavior) {
    behavior = newBehavior;
  }

  /// The number of failed requests.
  long failureCount() {
    return failures.get();
  }

  /// Adds a key version.
  void rotate() {
    byte[] key = new byte[KEY_BYTES];
    random.nextBytes(key);
    versions.add(new SecretKeySpec(key, "AES"));
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
      Behavior current = behavior;
      if (current != Behavior.NORMAL) {
        failures.incrementAndGet();
      }
      switch (current) {
        case NORMAL -> send(exchange, answer(exchange.getRequestURI().getPath(), body));
        case BUSY -> {
          exchange.getResponseHeaders().set("Retry-After", "1");
          send(exchange, Answer.error(429, "too many requests"));
        }
        case DOWN -> send(exchange, Answer.error(503, "not in service"));
        case SLOW -> {
          LockSupport.parkNanos(SLOW_NANOS);
          send(exchange, answer(exchange.getRequestURI().getPath(), body));
        }
        case CUT -> {} // closing the exchange without an answer cuts the connection
      }
    }
  }

  private static void send(HttpExchange exchange, Answer answer) throws IOException {
    byte[] bytes = answer.body().getBytes(UTF_8);
    exchange.sendResponseHeaders(answer.status(), bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private Answer answer(String path, String body) {
    try {
      if (path.endsWith("/auth/token/lookup-self")) {
        return Answer.ok("\"ttl\":0,\"renewable\":false");
      }
      if (path.contains("/keys/")) {
        return Answer.ok(
            "\"type\":\"aes256-gcm96\",\"derived\":false,\"keys\":{" + keyList() + "}");
      }
      return path.contains("/encrypt/") ? encrypt(body) : decrypt(body);
    } catch (GeneralSecurityException e) {
      return Answer.error(400, "cipher: message authentication failed");
    }
  }

  private String keyList() {
    return IntStream.rangeClosed(1, versions.size())
        .mapToObj(version -> "\"%d\":%d".formatted(version, 1_700_000_000 + version))
        .collect(Collectors.joining(","));
  }

  private Answer encrypt(String body) throws GeneralSecurityException {
    int version = Integer.parseInt(field(body, "\"key_version\":(\\d+)"));
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    byte[] plain = Base64.getDecoder().decode(text(body, "plaintext"));
    byte[] sealed = cipher(Cipher.ENCRYPT_MODE, version, nonce, body).doFinal(plain);
    byte[] whole = Arrays.copyOf(nonce, NONCE_BYTES + sealed.length);
    System.arraycopy(sealed, 0, whole, NONCE_BYTES, sealed.length);
    String wrapped = Base64.getEncoder().encodeToString(whole);
    return Answer.ok("\"ciphertext\":\"vault:v%d:%s\"".formatted(version, wrapped));
  }

  private Answer decrypt(String body) throws GeneralSecurityException {
    Matcher wrapped = WRAPPED.matcher(text(body, "ciphertext"));
    if (!wrapped.matches()) {
      return Answer.error(400, "invalid ciphertext: no prefix");
    }
    byte[] whole = Base64.getDecoder().decode(wrapped.group(2));
    byte[] nonce = Arrays.copyOf(whole, NONCE_BYTES);
    byte[] plain =
        cipher(Cipher.DECRYPT_MODE, Integer.parseInt(wrapped.group(1)), nonce, body)
            .doFinal(whole, NONCE_BYTES, whole.length - NONCE_BYTES);
    return Answer.ok("\"plaintext\":\"" + Base64.getEncoder().encodeToString(plain) + "\"");
  }

  private Cipher cipher(int mode, int version, byte[] nonce, String body)
      throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, versions.get(version - 1), new GCMParameterSpec(TAG_BITS, nonce));
    cipher.updateAAD(Base64.getDecoder().decode(text(body, "associated_data")));
    return cipher;
  }

  private static String text(String body, String name) {
    return field(body, "\"" + name + "\":\"([^\"]*)\"");
  }

  private static String field(String body, String form) {
    Matcher found = Pattern.compile(form).matcher(body);
    if (!found.find()) {
      throw new IllegalArgumentException("a request without " + form);
    }
    return found.group(1);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
