package keyfleet.control.rewrap;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Supplier;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
import keyfleet.control.rewrap.RecordRewrapper.Changed;
import keyfleet.control.rewrap.RecordRewrapper.Failed;
import keyfleet.control.rewrap.RecordRewrapper.UpToDate;
import keyfleet.control.rewrap.RotationProgress.Failure;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.RotationId;
import keyfleet.keyring.RotationJob;
import keyfleet.store.Census;
import keyfleet.store.Conflict;
import keyfleet.store.Fence;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.StoredRecord;
import keyfleet.store.Unknown;
import org.jspecify.annotations.Nullable;

/// One way through the records of a keyring, in batches. It lives in its driver's memory: whoever
/// adopts the rotation begins anew, and finds what was moved moved.
///
/// While a batch is written, the next ones are read and moved. That makes the time longer between
/// reading a record and writing it, and costs no safety: each is compared and set.
public final class RewrapPass {
  /// Records that are read, moved and written together, at most. A driver gives its sign of life
  /// between two batches, and other writers wait for no more than one.
  public static final int MAX_BATCH = 1_000;

  /// Before it is known how long the records are.
  public static final int FIRST_BATCH = 50;

  /// Of sealed fields in one batch, about. A batch is in memory as it was and as it shall be, and
  /// so are those that the crew has begun.
  private static final long BATCH_BYTES = 2 << 20;

  /// What a pass works with.
  ///
  /// @param most records of one batch, for who shall go slowly
  public record Options(BatchExecutor batchExecutor, int maxBatch, Failpoints failpoints) {}

  private record ScanRange(FencedCollection collection, KekVersion version) {}

  /// Where a pass goes on.
  private record Position(int range, @Nullable RecordId after, int limit) {}

  /// Records that were read at a position, and where the pass goes on after them. Nothing is read
  /// at the end.
  private record ScannedBatch(Position start, List<StoredRecord> records, Position next) {}

  /// Records that were read and moved, but not written yet.
  private record RewrappedBatch(
      ScannedBatch scanned, List<RecordChange> recordChanges, List<Failure> failures) {}

  private enum Mode {
    WRITING,
    DRY_RUN
  }

  private final Mode mode;
  private final Options options;
  private final List<ScanRange> ranges = new ArrayList<>();
  private final List<Failure> failures = new ArrayList<>();
  private Position position;

  /// The batches from the position on that were begun while those before were written. A rotation
  /// that ends or changes meanwhile leaves them alone, and so nothing of them is written.
  private final Deque<Supplier<RewrappedBatch>> pending = new ArrayDeque<>();

  /// Where the last of them ends, once it is read.
  private Supplier<Position> frontier;

  private long total;
  private long done;
  private long moved;
  private long failed;

  private RewrapPass(Mode mode, Options options) {
    this.mode = mode;
    this.options = options;
    Position first = startOf(0);
    this.position = first;
    this.frontier = () -> first;
  }

  /// Over the records of the version that the job leaves.
  public static RewrapPass overOldVersion(
      CollectionSet collectionSet, RotationJob rotationJob, Options options) {
    return overOldVersion(collectionSet, rotationJob, new RewrapPass(Mode.WRITING, options));
  }

  /// As [#overOldVersion], and nothing is written: what would get stuck is found all the same.
  public static RewrapPass dryRun(
      CollectionSet collectionSet, RotationJob rotationJob, Options options) {
    return overOldVersion(collectionSet, rotationJob, new RewrapPass(Mode.DRY_RUN, options));
  }

  private static RewrapPass overOldVersion(
      CollectionSet collectionSet, RotationJob rotationJob, RewrapPass rewrapPass) {
    for (FencedCollection collection : collectionSet.reachable()) {
      rewrapPass.addCensus(collection.takeCensus(), rotationJob);
      rewrapPass.ranges.add(new ScanRange(collection, rotationJob.from()));
    }
    return rewrapPass;
  }

  /// Over every record with a field that is not under the target.
  public static RewrapPass overAllButTarget(
      CollectionSet collectionSet, RotationJob rotationJob, Options options) {
    RewrapPass rewrapPass = new RewrapPass(Mode.WRITING, options);
    for (FencedCollection collection : collectionSet.reachable()) {
      Census census = collection.takeCensus();
      rewrapPass.addCensus(census, rotationJob);
      census.belonging().keySet().stream()
          .filter(version -> !version.equals(rotationJob.to()) || hasFieldsAbove(census, version))
          .forEach(version -> rewrapPass.ranges.add(new ScanRange(collection, version)));
      if (census.unreadable() > 0) {
        rewrapPass.addFailure(
            census.unreadable(),
            new Failure(collection.displayName(), "", "records with a field that is no envelope"));
      }
    }
    return rewrapPass;
  }

  /// A record belongs to its lowest version. After an abort that may be the target, while another
  /// of its fields is under the version that was given up.
  private static boolean hasFieldsAbove(Census census, KekVersion target) {
    SortedMap<KekVersion, Long> higher = census.carrying().tailMap(target);
    return higher.entrySet().stream()
        .filter(it -> !it.getKey().equals(target))
        .anyMatch(it -> it.getValue() > census.belonging().getOrDefault(it.getKey(), 0L));
  }

  private void addCensus(Census census, RotationJob rotationJob) {
    total += census.belonging().values().stream().mapToLong(Long::longValue).sum();
    done += census.belonging().getOrDefault(rotationJob.to(), 0L);
  }

  private void addFailure(long records, Failure failure) {
    failed += records;
    if (failures.size() < RotationProgress.MAX_LISTED) {
      failures.add(failure);
    }
  }

  public boolean isFinished() {
    return isFinished(position);
  }

  public long failed() {
    return failed;
  }

  /// Records that this pass has written.
  public long moved() {
    return moved;
  }

  public RotationProgress progress(RotationId rotation, String note) {
    return new RotationProgress(rotation, total, done + moved, failed, note, failures);
  }

  private boolean isFinished(Position at) {
    return at.range() == ranges.size();
  }

  /// Moves one batch. A fence that refused some of it is returned. If it cannot be read, moved or
  /// written, the next step begins anew at the same position.
  public Optional<Fence> rewrapBatch(RecordRewrapper recordRewrapper) {
    boolean isDone = false;
    try {
      Optional<Fence> refusal = write(takeNext(recordRewrapper), recordRewrapper);
      isDone = true;
      return refusal;
    } finally {
      if (!isDone) {
        pending.clear();
      }
    }
  }

  private RewrappedBatch takeNext(RecordRewrapper recordRewrapper) {
    if (pending.isEmpty()) {
      Position here = position;
      frontier = () -> here;
      startNext(recordRewrapper);
    }
    return pending.remove().get();
  }

  private Optional<Fence> write(RewrappedBatch rewrappedBatch, RecordRewrapper recordRewrapper) {
    while (pending.size() < options.batchExecutor().batchesAhead()) {
      startNext(recordRewrapper);
    }
    Optional<Fence> refusal = write(rewrappedBatch);
    rewrappedBatch
        .failures()
        .forEach(it -> addFailure(1, it)); // not before it is written: it may be retried
    position = rewrappedBatch.scanned().next();
    return refusal;
  }

  private void startNext(RecordRewrapper recordRewrapper) {
    Supplier<Position> from = frontier;
    Supplier<ScannedBatch> scanned = options.batchExecutor().start(() -> scan(from.get()));
    frontier = () -> scanned.get().next();
    pending.add(options.batchExecutor().start(() -> moved(scanned.get(), recordRewrapper)));
  }

  private ScannedBatch scan(Position at) {
    if (isFinished(at)) {
      return new ScannedBatch(at, List.of(), at);
    }
    ScanRange range = ranges.get(at.range());
    List<StoredRecord> records = range.collection().scan(range.version(), at.after(), at.limit());
    return new ScannedBatch(at, records, positionAfter(at, records));
  }

  private RewrappedBatch moved(ScannedBatch scanned, RecordRewrapper recordRewrapper) {
    List<StoredRecord> records = scanned.records();
    List<RecordChange> recordChanges = new ArrayList<>(records.size());
    List<Failure> batchFailures = new ArrayList<>();
    if (!records.isEmpty()) {
      FencedCollection collection = ranges.get(scanned.start().range()).collection();
      List<RecordRewrapper.Result> results =
          options.batchExecutor().mapAll(records, it -> moved(collection, it, recordRewrapper));
      for (int i = 0; i < records.size(); i++) {
        switch (results.get(i)) {
          case UpToDate() -> {}
          case Failed(String reason) ->
              batchFailures.add(
                  new Failure(collection.displayName(), records.get(i).id().value(), reason));
          case Changed(RecordChange recordChange) -> recordChanges.add(recordChange);
        }
      }
    }
    return new RewrappedBatch(scanned, recordChanges, batchFailures);
  }

  private RecordRewrapper.Result moved(
      FencedCollection collection, StoredRecord record, RecordRewrapper recordRewrapper) {
    return options
        .failpoints()
        .at(Failpoint.RECORD_MOVE, () -> recordRewrapper.rewrap(collection.collection(), record));
  }

  private Position startOf(int range) {
    return new Position(range, null, Math.min(FIRST_BATCH, options.maxBatch()));
  }

  private Position positionAfter(Position at, List<StoredRecord> scanned) {
    return scanned.size() < at.limit()
        ? startOf(at.range() + 1)
        : new Position(at.range(), scanned.getLast().id(), nextLimit(scanned));
  }

  /// As many as are not too long together, if they are like the last ones.
  private int nextLimit(List<StoredRecord> scanned) {
    long bytes = 1;
    for (StoredRecord record : scanned) {
      bytes += record.fields().totalLength();
    }
    return Math.clamp(BATCH_BYTES * scanned.size() / bytes, 1, options.maxBatch());
  }

  /// A record that somebody changed meanwhile, or whose write got no answer, is left for the sweep.
  private Optional<Fence> write(RewrappedBatch rewrappedBatch) {
    if (mode == Mode.DRY_RUN || rewrappedBatch.recordChanges().isEmpty()) {
      return Optional.empty();
    }
    FencedCollection collection = ranges.get(rewrappedBatch.scanned().start().range()).collection();
    Optional<Fence> refusal = Optional.empty();
    for (RecordWriteResult write : collection.write(rewrappedBatch.recordChanges())) {
      switch (write) {
        case RecordWriteResult.Stored() -> moved++;
        case RecordWriteResult.Fenced(Fence by) -> refusal = Optional.of(by);
        case Conflict(), Unknown() -> {}
      }
    }
    return refusal;
  }
}
