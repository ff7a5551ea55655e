package keyfleet.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamApiException;
import io.nats.client.KeyValue;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.KeyValueEntry;
import io.nats.client.api.KeyValueWatchOption;
import io.nats.client.api.KeyValueWatcher;
import io.nats.client.api.PublishAck;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// The key-value API of jnats on the stream of the engine. A list is its snapshot for watchers: the
/// API has no other way to read many values.
final class RawNats implements StoreUnderTest {
  private static final int IN_FLIGHT = 1_000;

  /// The watcher of a listing or of a key.
  private interface EntryConsumer {
    void accept(KeyValueEntry entry);
  }

  private final Connection connection;
  private final KeyValue bucket;
  private final byte[] value = "v".repeat(VALUE_BYTES).getBytes(UTF_8);
  private long counter;
  private long watched;

  RawNats(String url) throws IOException, JetStreamApiException, InterruptedException {
    // The listener that comes with it prints each message of flow control.
    this.connection =
        Nats.connect(Options.builder().server(url).errorListener(new ErrorListener() {}).build());
    String name =
        connection.keyValueManagement().getBucketNames().stream()
            .filter(it -> it.endsWith(BUCKET))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("the engine has created no bucket"));
    this.bucket = connection.keyValue(name);
    this.counter = bucket.put("raw.counter", value);
    this.watched = bucket.put("raw.watched", value);
  }

  void fill(int keys) throws IOException {
    String stem = "$KV." + bucket.getBucketName() + "." + BRANCH + ".";
    List<CompletableFuture<PublishAck>> sent = new ArrayList<>();
    for (int i = 0; i < keys; i++) {
      sent.add(connection.jetStream().publishAsync(stem + SealedTable.id(i), value));
      if (sent.size() == IN_FLIGHT || i == keys - 1) {
        sent.forEach(CompletableFuture::join);
        sent.clear();
      }
    }
  }

  @Override
  public void compareAndSet(int times) throws IOException, JetStreamApiException {
    for (int i = 0; i < times; i++) {
      counter = bucket.update("raw.counter", value, counter);
    }
  }

  @Override
  public int list() throws IOException, JetStreamApiException, InterruptedException {
    List<KeyValueEntry> found = new ArrayList<>();
    CountDownLatch end = new CountDownLatch(1);
    var snapshot =
        bucket.watch(
            BRANCH + ".>", watcher(found::add, end::countDown), KeyValueWatchOption.IGNORE_DELETE);
    boolean ended = end.await(1, TimeUnit.MINUTES);
    snapshot.unsubscribe();
    if (!ended) {
      throw new IllegalStateException("the listing did not end within a minute");
    }
    return found.size();
  }

  @Override
  public void watch(Runnable onChange)
      throws IOException, JetStreamApiException, InterruptedException {
    var _ =
        bucket.watch(
            "raw.watched",
            watcher(_ -> onChange.run(), () -> {}),
            KeyValueWatchOption.UPDATES_ONLY,
            KeyValueWatchOption.META_ONLY);
  }

  private static KeyValueWatcher watcher(EntryConsumer consumer, Runnable end) {
    return new KeyValueWatcher() {
      @Override
      public void watch(KeyValueEntry entry) {
        consumer.accept(entry);
      }

      @Override
      public void endOfData() {
        end.run();
      }
    };
  }

  @Override
  public void write() throws IOException, JetStreamApiException {
    watched = bucket.update("raw.watched", value, watched);
  }

  @Override
  public void seed(List<byte[]> sealed) {
    throw new IllegalStateException("NATS stores no records");
  }

  @Override
  public void rewrite(int batch) {
    throw new IllegalStateException("NATS stores no records");
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
