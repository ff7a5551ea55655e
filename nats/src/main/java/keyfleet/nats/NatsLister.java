package keyfleet.nats;

import io.nats.client.api.StreamInfo;
import io.nats.client.support.JsonValueUtils;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import keyfleet.store.Entry;
import keyfleet.store.Prefix;
import keyfleet.store.StoreException;
import keyfleet.store.StoreTime;

/// Lists a branch: the leader tells its names and how far it is, then a [NatsValueFetcher] brings
/// the values.
final class NatsLister {
  /// The names, and where the leader and its clock were when it first told of them.
  record Listing(NavigableSet<String> subjects, long sequence, StoreTime now) {}

  /// Pages of names share so many, for keys may vanish in between and move those behind them up.
  private static final int OVERLAP = 1_000;

  private final NatsStreamRegistry streams;
  private final NatsKeyReader reader;

  NatsLister(NatsStreamRegistry streams, NatsKeyReader reader) {
    this.streams = streams;
    this.reader = reader;
  }

  List<Entry> list(NatsStream stream, Prefix prefix) {
    Listing branch = branch(stream, prefix);
    try (NatsValueFetcher harvest = new NatsValueFetcher(streams.link(), reader, stream, branch)) {
      return harvest.entries();
    }
  }

  private Listing branch(NatsStream stream, Prefix prefix) {
    StreamInfo first = page(stream, prefix, 0);
    NavigableSet<String> subjects = names(first);
    int total = total(first);
    while (subjects.size() < total) {
      StreamInfo next = page(stream, prefix, Math.max(subjects.size() - OVERLAP, 0));
      NavigableSet<String> more = names(next);
      if (more.isEmpty() || more.first().compareTo(subjects.last()) > 0) {
        throw new StoreException(
            "keys of " + stream.bucket() + " vanish faster than they can be listed");
      }
      // What adds nothing is the last page: keys have vanished since the total was told.
      total = subjects.addAll(more) ? total(next) : 0;
    }
    return new Listing(
        subjects, first.getStreamState().getLastSequence(), streams.time(stream, first));
  }

  private StreamInfo page(NatsStream stream, Prefix prefix, int offset) {
    String body =
        "{\"subjects_filter\":\"%s\",\"offset\":%d}".formatted(stream.filter(prefix), offset);
    StreamInfo page = streams.info(stream, body);
    if (page.hasError()) {
      throw NatsErrors.of(stream.bucket() + " cannot be listed", page);
    }
    return page;
  }

  private static NavigableSet<String> names(StreamInfo page) {
    return new TreeSet<>(page.getStreamState().getSubjectMap().keySet());
  }

  private static int total(StreamInfo page) {
    return JsonValueUtils.readInteger(page.getJv(), "total", 0);
  }
}
