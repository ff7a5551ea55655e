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

/// Fetches the values of one listing. A few batches are on their way at a time, so that the server
/// looks up while we read.
final class NatsValueFetcher implements AutoCloseable {
  private static final int ON_THEIR_WAY = 4;

  /// With the pauses, some seconds: a replica that is further behind is not caught up with here.
  private static final int BEHIND_LIMIT = 60;

  private static final Duration BEHIND_PAUSE = Duration.ofMillis(50);

  private final NatsConnection link;
  private final NatsKeyReader reader;
  private final NatsStream stream;
  private final Listing branch;
  private final Deque<List<String>> wanted = new ArrayDeque<>();
  private final Deque<NatsBatchGet> sent = new ArrayDeque<>();
  private final Map<Key, Entry> found = new TreeMap<>();
  private int behind;

  NatsValueFetcher(NatsConnection link, NatsKeyReader reader, NatsStream stream, Listing branch) {
    this.link = link;
    this.reader = reader;
    this.stream = stream;
    this.branch = branch;
    List<String> subjects = List.copyOf(branch.subjects());
    for (int i = 0; i < subjects.size(); i += NatsBatchGet.LIMIT) {
      wanted.add(subjects.subList(i, Math.min(i + NatsBatchGet.LIMIT, subjects.size())));
    }
  }

  List<Entry> entries() {
    while (!wanted.isEmpty() || !sent.isEmpty()) {
      while (sent.size() < ON_THEIR_WAY && !wanted.isEmpty()) {
        sent.add(new NatsBatchGet(link, stream, wanted.remove()));
        sent.getLast().send();
      }
      try (NatsBatchGet batch = sent.remove()) {
        take(batch);
      }
    }
    return List.copyOf(found.values());
  }

  private void take(NatsBatchGet batch) {
    switch (batch.await(branch.sequence())) {
      case Complete(var stored) -> stored.forEach(this::add);
      case Partial(var stored) -> {
        stored.forEach(this::add);
        List<String> rest = new ArrayList<>(batch.subjects());
        rest.removeAll(stored.keySet());
        wanted.add(rest);
      }
      case NoneFound _ -> batch.subjects().forEach(this::askLeader);
      case StaleReplica _ -> {
        if (++behind > BEHIND_LIMIT) {
          throw new StoreException("a replica of stream " + stream.name() + " stays behind");
        }
        link.threads().pause(BEHIND_PAUSE);
        wanted.add(batch.subjects());
      }
    }
  }

  private void add(String subject, NatsKeyMessage stored) {
    add(stream.key(subject), reader.judged(stream, stored, branch.now()));
  }

  private void askLeader(String subject) {
    add(stream.key(subject), reader.head(stream, stream.key(subject)));
  }

  private void add(Key key, NatsKeyState head) {
    if (head instanceof Present(var stored)) {
      found.put(key, stored.entry(key));
    }
  }

  /// Ends what an exception left on its way.
  @Override
  public void close() {
    sent.forEach(NatsBatchGet::close);
  }
}
