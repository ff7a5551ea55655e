package keyfleet.nats;

import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.PublishOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.KvFixture;
import keyfleet.store.Value;
import keyfleet.store.engine.StoreUrl;

/// A namespace of a real server, empty at first, for one test.
final class NatsKvFixture implements KvFixture {
  private static final AtomicInteger NAMESPACES = new AtomicInteger();
  private static final int FLUSH_PERIOD = 1_000;
  private static final PublishOptions LONG_TIMEOUT =
      PublishOptions.builder().streamTimeout(Duration.ofMinutes(1)).build();

  private final String namespace = "t" + NAMESPACES.incrementAndGet();
  private final String servers;
  private final NatsEngine engine;
  private final Kv kv;

  /// `query` is the query of the URL, with its question mark.
  NatsKvFixture(String servers, String query, UnaryOperator<Kv> connection) {
    this.servers = servers;
    this.engine = NatsEngine.open(StoreUrl.parse("nats://" + servers + "/" + namespace + query));
    this.kv = connection.apply(engine.kv());
  }

  @Override
  public Kv kv() {
    return kv;
  }

  /// Deletes the consumers, as a server does that loses them.
  @Override
  public void runWithWatchesDisconnected(Runnable meanwhile) {
    runAsClient(it -> {
      JetStreamManagement management = it.jetStreamManagement();
      for (String stream : management.getStreamNames()) {
        for (String consumer :
            stream.startsWith("KV_" + namespace + "-")
                ? management.getConsumerNames(stream)
                : List.<String>of()) {
          management.deleteConsumer(stream, consumer);
        }
      }
    });
    meanwhile.run();
  }

  /// Sends without waiting for answers. The last write uses the same connection, so it follows all
  /// others.
  @Override
  public void fill(Bucket bucket, List<Key> keys) {
    kv.get(bucket, keys.getFirst());
    runAsClient(it -> {
      String subjectPrefix = "$KV." + namespace + "-" + bucket.name() + ".";
      for (int i = 0; i < keys.size(); i++) {
        it.publish(subjectPrefix + keys.get(i), Value.of(keys.get(i).value()).bytes().toArray());
        if (i % FLUSH_PERIOD == 0) {
          it.flushBuffer();
        }
      }
      Key last = keys.getLast();
      it.jetStream()
          .publish(subjectPrefix + last, Value.of(last.value()).bytes().toArray(), LONG_TIMEOUT);
    });
  }

  String namespace() {
    return namespace;
  }

  interface ClientWork {
    void run(Connection connection) throws IOException, JetStreamApiException, InterruptedException;
  }

  /// Runs `clientWork` on a separate connection, as another client of the server would.
  void runAsClient(ClientWork clientWork) {
    try {
      Connection connection = Nats.connect("nats://" + servers);
      try {
        clientWork.run(connection);
      } finally {
        connection.close();
      }
    } catch (IOException | JetStreamApiException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    engine.close();
  }
}
