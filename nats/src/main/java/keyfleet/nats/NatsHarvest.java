package keyfleet.nats;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import keyfleet.nats.NatsBatch.Outcome.All;
import keyfleet.nats.NatsBatch.Outcome.Behind;
import keyfleet.nats.NatsBatch.Outcome.None;
import keyfleet.nats.NatsBatch.Outcome.Some;
import keyfleet.nats.NatsHead.Taken;
import keyfleet.nats.NatsLister.Branch;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.StoreException;

/// Fetches the values of one listing. A few batches are on their way at a time, so that the server
/// looks up while we read.
final class NatsHarvest implements AutoCloseable {
  private static final int ON_THEIR_WAY = 4;

  /// With the pauses, some seconds: a replica that is further behind is not caught up with here.
  private static final int BEHIND_LIMIT = 60;

  private static final Duration BEHIND_PAUSE = Duration.ofMillis(50);

  private final NatsLink link;
  private final NatsReader reader;
  private final NatsStream stream;
  private final Branch branch;
  private final Deque<List<String>> wanted = new ArrayDeque<>();
  private final Deque<NatsBatch> sent = new ArrayDeque<>();
  private final Map<Key, Entry> found = new TreeMap<>();
  private int behind;

  NatsHarvest(NatsLink link, NatsReader reader, NatsStream stream, Branch branch) {
    this.link = link;
    this.reader = reader;
    this.stream = stream;
    this.branch = branch;
    List<String> subjects = List.copyOf(branch.subjects());
    for (int i = 0; i < subjects.size(); i += NatsBatch.LIMIT) {
      wanted.add(subjects.subList(i, Math.min(i + NatsBatch.LIMIT, subjects.size())));
    }
  }

  List<Entry> entries() {
    while (!wanted.isEmpty() || !sent.isEmpty()) {
      while (sent.size() < ON_THEIR_WAY && !wanted.isEmpty()) {
        sent.add(new NatsBatch(link, stream, wanted.remove()));
        sent.getLast().send();
      }
      try (NatsBatch batch = sent.remove()) {
        take(batch);
      }
    }
    return List.copyOf(found.values());
  }

  private void take(NatsBatch batch) {
    switch (batch.await(branch.sequence())) {
      case All(var stored) -> stored.forEach(this::add);
      case Some(var stored) -> {
        stored.forEach(this::add);
        List<String> rest = new ArrayList<>(batch.subjects());
        rest.removeAll(stored.keySet());
        wanted.add(rest);
      }
      case None _ -> batch.subjects().forEach(this::askLeader);
      case Behind _ -> {
        if (++behind > BEHIND_LIMIT) {
          throw new StoreException("a replica of stream " + stream.name() + " stays behind");
        }
        link.threads().pause(BEHIND_PAUSE);
        wanted.add(batch.subjects());
      }
    }
  }

  private void add(String subject, NatsStored stored) {
    add(stream.key(subject), reader.judged(stream, stored, branch.now()));
  }

  private void askLeader(String subject) {
    add(stream.key(subject), reader.head(stream, stream.key(subject)));
  }

  private void add(Key key, NatsHead head) {
    if (head instanceof Taken(var stored)) {
      found.put(key, stored.entry(key));
    }
  }

  /// Ends what an exception left on its way.
  @Override
  public void close() {
    sent.forEach(NatsBatch::close);
  }
}
