package keyfleet.member.document;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import keyfleet.keyring.Heartbeat;
import keyfleet.store.Entry;

/// Parses a roster while the store still delivers it. Entries arrive one by one and are collected
/// into batches. All cores parse the batches of a large fleet and hand each to the caller's
/// function, while more entries arrive. No entry is kept.
final class RosterParser<T> {
  /// Entries in a batch. Fewer are not worth another thread.
  private static final int BATCH_SIZE = 500;

  /// Batches that other threads have under way at a time.
  private static final int MAX_PENDING = 8;

  /// Threads of our own: the common pool belongs to the application, which may block it. A batch is
  /// worth a new thread.
  private static final Executor PARSERS =
      work -> Thread.ofPlatform().daemon().name("keyfleet-roster").start(work);

  private final BiFunction<List<Heartbeat>, Instant, T> processBatch;
  private final Semaphore pending = new Semaphore(MAX_PENDING);
  private final List<CompletableFuture<T>> batches = new ArrayList<>();
  private List<Entry> batch = new ArrayList<>();
  private long latestMillis = Long.MIN_VALUE;

  /// @param processBatch called with the heartbeats of a batch and the time of the latest heartbeat
  ///   up to its end
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
      batches.add(start(() -> processBatch.apply(parse(fullBatch), latestSoFar)));
    }
  }

  /// If the store delivers faster than the other threads work, this thread does the work itself,
  /// and the store waits.
  private CompletableFuture<T> start(Supplier<T> work) {
    if (!pending.tryAcquire()) {
      return CompletableFuture.completedFuture(work.get());
    }
    return CompletableFuture.supplyAsync(work, PARSERS).whenComplete((_, _) -> pending.release());
  }

  /// Waits for the results of all full batches and returns them in the order of the entries. Throws
  /// [keyfleet.store.MalformedValueException] if a heartbeat cannot be read.
  List<T> awaitBatches() {
    return batches.stream().map(RosterParser::await).toList();
  }

  /// The heartbeats after the last full batch. Throws as [#awaitBatches] does.
  List<Heartbeat> remainder() {
    return parse(batch);
  }

  private static List<Heartbeat> parse(List<Entry> entries) {
    List<Heartbeat> heartbeats = new ArrayList<>(entries.size());
    for (Entry entry : entries) {
      heartbeats.add(HeartbeatDocument.parse(entry.value(), entry.writtenAt()));
    }
    return heartbeats;
  }

  /// Throws what the batch's thread threw, not a `CompletionException`.
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
