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
  private static final int BATCH_SIZE = 500;

  /// Parts that are waited for at a time. A store that reads faster than we do waits for us.
  private static final int MAX_PENDING = 8;

  private final BiFunction<List<Heartbeat>, Instant, T> processBatch;
  private final Deque<CompletableFuture<T>> pending = new ArrayDeque<>();
  private final List<T> results = new ArrayList<>();
  private List<Entry> batch = new ArrayList<>();
  private long latestMillis = Long.MIN_VALUE;

  /// @param making is told a part, and the latest beat so far
  RosterParser(BiFunction<List<Heartbeat>, Instant, T> processBatch) {
    this.processBatch = processBatch;
  }

  void add(Entry entry) {
    batch.add(entry);
    latestMillis = Math.max(latestMillis, entry.writtenAt().millis());
    if (batch.size() == BATCH_SIZE) {
      List<Entry> fullBatch = batch;
      Instant latestSoFar = Instant.ofEpochMilli(latestMillis);
      batch = new ArrayList<>(BATCH_SIZE);
      pending.add(
          CompletableFuture.supplyAsync(() -> processBatch.apply(parse(fullBatch), latestSoFar)));
    }
    if (pending.size() > MAX_PENDING) {
      results.add(await(pending.removeFirst()));
    }
  }

  /// In the order in which they came. Throws [keyfleet.store.MalformedValueException] if one cannot
  /// be read.
  List<T> awaitBatches() {
    pending.forEach(it -> results.add(await(it)));
    pending.clear();
    return results;
  }

  /// What came after the last part. Throws as [#awaitBatches].
  List<Heartbeat> remainder() {
    return parse(batch);
  }

  private static List<Heartbeat> parse(List<Entry> entries) {
    List<Heartbeat> heartbeats = new ArrayList<>(entries.size());
    StringPool pool = new StringPool();
    for (Entry entry : entries) {
      heartbeats.add(FastHeartbeatParser.parse(entry.value(), entry.writtenAt(), pool));
    }
    return heartbeats;
  }

  /// What was thrown, not that a thread failed.
  private static <T> T await(CompletableFuture<T> batch) {
    try {
      return batch.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }
}
