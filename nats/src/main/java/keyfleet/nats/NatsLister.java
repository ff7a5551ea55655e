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

/// Lists the entries under a prefix. The leader returns the subjects and its last sequence; a
/// [NatsValueFetcher] then fetches the values.
final class NatsLister {
  /// The subjects, and the leader's last sequence and time at the first page.
  record Listing(NavigableSet<String> subjects, long sequence, StoreTime now) {}

  /// Pages overlap by this many subjects, because a deleted key moves the subjects after it
  /// forward.
  private static final int OVERLAP = 1_000;

  private final NatsStreamRegistry streams;
  private final NatsKeyReader reader;

  NatsLister(NatsStreamRegistry streams, NatsKeyReader reader) {
    this.streams = streams;
    this.reader = reader;
  }

  List<Entry> list(NatsStream stream, Prefix prefix) {
    Listing listing = listSubjects(stream, prefix);
    try (NatsValueFetcher fetcher =
        new NatsValueFetcher(streams.connection(), reader, stream, listing)) {
      return fetcher.fetchAll();
    }
  }

  private Listing listSubjects(NatsStream stream, Prefix prefix) {
    StreamInfo first = fetchPage(stream, prefix, 0);
    NavigableSet<String> subjects = subjectsOf(first);
    int total = totalOf(first);
    while (subjects.size() < total) {
      StreamInfo next = fetchPage(stream, prefix, Math.max(subjects.size() - OVERLAP, 0));
      NavigableSet<String> more = subjectsOf(next);
      if (more.isEmpty() || more.first().compareTo(subjects.last()) > 0) {
        throw new StoreException(
            "keys of the "
                + stream.bucket().label()
                + " are deleted faster than they can be listed");
      }
      // A page that adds nothing is the last one: keys were deleted since the total was reported.
      total = subjects.addAll(more) ? totalOf(next) : 0;
    }
    return new Listing(
        subjects, first.getStreamState().getLastSequence(), streams.storeTime(stream, first));
  }

  private StreamInfo fetchPage(NatsStream stream, Prefix prefix, int offset) {
    String body =
        "{\"subjects_filter\":\"%s\",\"offset\":%d}".formatted(stream.filter(prefix), offset);
    StreamInfo page = streams.fetchInfo(stream, body);
    if (page.hasError()) {
      throw NatsErrors.toStoreException(
          "the " + stream.bucket().label() + " cannot be listed", page);
    }
    return page;
  }

  private static NavigableSet<String> subjectsOf(StreamInfo page) {
    return new TreeSet<>(page.getStreamState().getSubjectMap().keySet());
  }

  private static int totalOf(StreamInfo page) {
    return JsonValueUtils.readInteger(page.getJv(), "total", 0);
  }
}
