package keyfleet.nats;

import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import keyfleet.store.Prefix;
import keyfleet.store.StoreException;
import keyfleet.store.Watch;
import keyfleet.store.Watcher;

/// The running watches of an engine. Each restarts after a reconnect.
final class NatsWatchRegistry implements ConnectionListener, AutoCloseable {
  private final Set<NatsWatch> running = ConcurrentHashMap.newKeySet();

  Watch watch(NatsConnection connection, NatsStream stream, Prefix prefix, Watcher watcher) {
    NatsWatch watch = new NatsWatch(connection, stream, stream.filter(prefix), watcher);
    running.add(watch);
    try {
      watch.start();
    } catch (StoreException e) {
      running.remove(watch);
      throw e;
    }
    return () -> {
      running.remove(watch);
      watch.close();
    };
  }

  /// The driver calls a newer method, whose default implementation calls this one.
  @Override
  @SuppressWarnings("deprecation")
  public void connectionEvent(Connection connection, Events event) {
    if (event == Events.RECONNECTED) {
      running.forEach(NatsWatch::restart);
    }
  }

  @Override
  public void close() {
    running.forEach(NatsWatch::close);
    running.clear();
  }
}
