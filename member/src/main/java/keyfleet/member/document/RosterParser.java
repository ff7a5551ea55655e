package keyfleet.member.document;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiFunction;
import keyfleet.keyring.Heartbeat;
import keyfleet.store.Entry;

/// A roster while it is read: entries come in one after another, and are made heartbeats in parts,
/// and these what the caller wants of them. The parts of a large fleet are made by all cores while
/// more entries come in, and no entry is kept.
final class RosterParser<T> {
  /// Fewer are not worth another thread.
  private static final int PART = 500;

  /// Parts that are waited for at a time. A store that reads faster than we do waits for us.
  private static final int MOST = 8;

  private final BiFunction<List<Heartbeat>, Instant, T> making;
  private final Deque<CompletableFuture<T>> begun = new ArrayDeque<>();
  private final List<T> made = new ArrayList<>();
  private List<Entry> part = new ArrayList<>();
  private long latest = Long.MIN_VALUE;

  /// @param making is told a part, and the latest beat so far
  RosterParser(BiFunction<List<Heartbeat>, Instant, T> making) {
    this.making = making;
  }

  void add(Entry entry) {
    part.add(entry);
    latest = Math.max(latest, entry.writtenAt().millis());
    if (part.size() == PART) {
      List<Entry> whole = part;
      Instant soFar = Instant.ofEpochMilli(latest);
      part = new ArrayList<>(PART);
      begun.add(CompletableFuture.supplyAsync(() -> making.apply(heartbeats(whole), soFar)));
    }
    if (begun.size() > MOST) {
      made.add(asked(begun.removeFirst()));
    }
  }

  /// In the order in which they came. Throws [keyfleet.store.MalformedValueException] if one cannot
  /// be read.
  List<T> parts() {
    begun.forEach(it -> made.add(asked(it)));
    begun.clear();
    return made;
  }

  /// What came after the last part. Throws as [#parts].
  List<Heartbeat> rest() {
    return heartbeats(part);
  }

  private static List<Heartbeat> heartbeats(List<Entry> entries) {
    List<Heartbeat> heartbeats = new ArrayList<>(entries.size());
    StringPool common = new StringPool();
    for (Entry entry : entries) {
      heartbeats.add(FastHeartbeatParser.read(entry.value(), entry.writtenAt(), common));
    }
    return heartbeats;
  }

  /// What was thrown, not that a thread failed.
  private static <T> T asked(CompletableFuture<T> part) {
    try {
      return part.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }
}
