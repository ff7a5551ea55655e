package keyfleet.nats;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import keyfleet.nats.NatsBatchGet.Result.Complete;
import keyfleet.nats.NatsBatchGet.Result.NoneFound;
import keyfleet.nats.NatsBatchGet.Result.Partial;
import keyfleet.nats.NatsBatchGet.Result.StaleReplica;
import keyfleet.nats.NatsKeyState.Present;
import keyfleet.nats.NatsLister.Listing;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.StoreException;

/// Fetches the values of one listing. A few batches are in flight at a time, so that the server
/// works while the client reads.
final class NatsValueFetcher implements AutoCloseable {
  private static final int MAX_IN_FLIGHT = 4;

  /// A few seconds with the pauses; a replica that is further behind fails the listing.
  private static final int MAX_STALE_REPLIES = 60;

  private static final Duration STALE_PAUSE = Duration.ofMillis(50);

  private final NatsConnection connection;
  private final NatsKeyReader reader;
  private final NatsStream stream;
  private final Listing listing;
  private final Deque<List<String>> pending = new ArrayDeque<>();
  private final Deque<NatsBatchGet> inFlight = new ArrayDeque<>();
  private final Map<Key, Entry> found = new TreeMap<>();
  private int staleReplies;

  NatsValueFetcher(
      NatsConnection connection, NatsKeyReader reader, NatsStream stream, Listing listing) {
    this.connection = connection;
    this.reader = reader;
    this.stream = stream;
    this.listing = listing;
    List<String> subjects = List.copyOf(listing.subjects());
    for (int i = 0; i < subjects.size(); i += NatsBatchGet.LIMIT) {
      pending.add(subjects.subList(i, Math.min(i + NatsBatchGet.LIMIT, subjects.size())));
    }
  }

  List<Entry> fetchAll() {
    while (!pending.isEmpty() || !inFlight.isEmpty()) {
      while (inFlight.size() < MAX_IN_FLIGHT && !pending.isEmpty()) {
        inFlight.add(new NatsBatchGet(connection, stream, pending.remove()));
        inFlight.getLast().send();
      }
      try (NatsBatchGet batch = inFlight.remove()) {
        receive(batch);
      }
    }
    return List.copyOf(found.values());
  }

  private void receive(NatsBatchGet batch) {
    switch (batch.await(listing.sequence())) {
      case Complete(var stored) -> stored.forEach(this::add);
      case Partial(var stored) -> {
        stored.forEach(this::add);
        List<String> rest = new ArrayList<>(batch.subjects());
        rest.removeAll(stored.keySet());
        pending.add(rest);
      }
      case NoneFound _ -> batch.subjects().forEach(this::readFromLeader);
      case StaleReplica _ -> {
        if (++staleReplies > MAX_STALE_REPLIES) {
          throw new StoreException(
              "a replica of stream " + stream.name() + " does not catch up with its leader");
        }
        connection.executors().pause(STALE_PAUSE);
        pending.add(batch.subjects());
      }
    }
  }

  private void add(String subject, NatsKeyMessage stored) {
    add(stream.key(subject), reader.toKeyState(stream, stored, listing.now()));
  }

  private void readFromLeader(String subject) {
    add(stream.key(subject), reader.read(stream, stream.key(subject)));
  }

  private void add(Key key, NatsKeyState state) {
    if (state instanceof Present(var stored)) {
      found.put(key, stored.toEntry(key));
    }
  }

  /// Ends the batches that an exception left in flight.
  @Override
  public void close() {
    inFlight.forEach(NatsBatchGet::close);
  }
}
