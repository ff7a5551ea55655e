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

/// One pass over the records of a keyring, in batches. It exists only in the memory of its driver.
/// A driver that adopts the rotation starts a new pass, in which finished records need no work.
///
/// While a batch is written, the next ones are read and rewrapped. The time between the read and
/// the write of a record grows, but safety does not suffer: each write is a compare-and-set.
public final class RewrapPass {
  /// The most records that are read, rewrapped and written together. A driver writes its heartbeat
  /// between two batches, and other writers wait for at most one.
  public static final int MAX_BATCH = 1_000;

  /// The size of the first batch, while the length of the records is unknown.
  public static final int FIRST_BATCH = 50;

  /// About how many bytes of sealed fields are in a batch. Memory holds a batch before and after
  /// its rewrap, and so also each batch that the executor works on ahead.
  private static final long BATCH_BYTES = 2 << 20;

  /// The settings of a pass.
  ///
  /// @param maxBatch the most records of a batch; a small value slows the rotation down
  public record Options(BatchExecutor batchExecutor, int maxBatch, Failpoints failpoints) {}

  /// The records of a version, or the records whose version field is wrong.
  private record ScanRange(FencedCollection collection, @Nullable KekVersion version) {
    List<StoredRecord> scan(@Nullable RecordId after, int limit) {
      return version == null
          ? collection.scanMismatched(after, limit)
          : collection.scan(version, after, limit);
    }

    boolean isOfMismatched() {
      return version == null;
    }
  }

  /// The position at which a pass continues.
  private record Position(int range, @Nullable RecordId after, int limit) {}

  /// The records at a position, and the position after them. At the end there are no records.
  private record ScannedBatch(Position start, List<StoredRecord> records, Position next) {}

  /// A batch that is rewrapped but not written.
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
  private volatile int maxBatch;
  private Position position;

  /// The batches from the position on, started while earlier ones were written. If the rotation
  /// ends or changes meanwhile, they are dropped and never written.
  private final Deque<Supplier<RewrappedBatch>> pending = new ArrayDeque<>();

  /// The position after the last of them, once it is read.
  private Supplier<Position> frontier;

  private long total;
  private long done;
  private long written;
  private long failed;

  private RewrapPass(Mode mode, Options options) {
    this.mode = mode;
    this.options = options;
    this.maxBatch = options.maxBatch();
    Position first = startOf(0);
    this.position = first;
    this.frontier = () -> first;
  }

  /// A pass over the records under the old version of the job.
  public static RewrapPass overOldVersion(
      CollectionSet collections, RotationJob job, Options options) {
    return overOldVersion(collections, job, new RewrapPass(Mode.WRITING, options));
  }

  /// As [#overOldVersion], without writes: it finds the records that would fail.
  public static RewrapPass dryRun(CollectionSet collections, RotationJob job, Options options) {
    return overOldVersion(collections, job, new RewrapPass(Mode.DRY_RUN, options));
  }

  private static RewrapPass overOldVersion(
      CollectionSet collections, RotationJob job, RewrapPass pass) {
    for (FencedCollection collection : collections.reachable()) {
      pass.addCensus(collection.takeCensus(), job);
      pass.ranges.add(new ScanRange(collection, job.from()));
    }
    return pass;
  }

  /// A pass over all records with a field that is not under the target version, or with a wrong
  /// version field.
  public static RewrapPass overAllButTarget(
      CollectionSet collections, RotationJob job, Options options) {
    RewrapPass pass = new RewrapPass(Mode.WRITING, options);
    for (FencedCollection collection : collections.reachable()) {
      Census census = collection.takeCensus();
      pass.addCensus(census, job);
      census.belonging().keySet().stream()
          .filter(version -> !version.equals(job.to()) || hasFieldsAbove(census, version))
          .forEach(version -> pass.ranges.add(new ScanRange(collection, version)));
      if (census.mismatched() > 0) {
        pass.ranges.add(new ScanRange(collection, null));
      }
      if (census.unreadable() > 0) {
        pass.addFailure(
            census.unreadable(),
            new Failure(
                collection.displayName(), "", "records with a field that is not an envelope"));
      }
    }
    return pass;
  }

  /// A record belongs to its lowest version. After an abort this may be the target, while another
  /// field of the record is still under the abandoned version.
  private static boolean hasFieldsAbove(Census census, KekVersion target) {
    SortedMap<KekVersion, Long> higher = census.carrying().tailMap(target);
    return higher.entrySet().stream()
        .filter(it -> !it.getKey().equals(target))
        .anyMatch(it -> it.getValue() > census.belonging().getOrDefault(it.getKey(), 0L));
  }

  private void addCensus(Census census, RotationJob job) {
    total += census.belonging().values().stream().mapToLong(Long::longValue).sum();
    done += census.belonging().getOrDefault(job.to(), 0L);
  }

  private void addFailure(long records, Failure failure) {
    failed += records;
    if (failures.size() < RotationProgress.MAX_LISTED) {
      failures.add(failure);
    }
  }

  /// Limits the records of the next batches. The setting of the process counts again with
  /// [Options#maxBatch].
  public void limitBatches(int limit) {
    int wanted = Math.clamp(limit, 1, MAX_BATCH);
    if (wanted != maxBatch) {
      maxBatch = wanted;
      pending.clear(); // these batches are larger; they are only read
      position =
          new Position(position.range(), position.after(), Math.min(position.limit(), wanted));
    }
  }

  public boolean isFinished() {
    return isFinished(position);
  }

  public long failedRecords() {
    return failed;
  }

  /// The records that this pass has written.
  public long writtenRecords() {
    return written;
  }

  public RotationProgress progress(RotationId rotation, String note) {
    return new RotationProgress(rotation, total, done + written, failed, note, failures);
  }

  private boolean isFinished(Position at) {
    return at.range() == ranges.size();
  }

  /// Rewraps and writes one batch. Returns the fence that refused some of its records, if one did.
  /// If the batch fails with an exception, the next call starts again at the same position.
  public Optional<Fence> rewrapBatch(RecordRewrapper rewrapper) {
    boolean isDone = false;
    try {
      Optional<Fence> refusal = writeAndStartNext(takeNext(rewrapper), rewrapper);
      isDone = true;
      return refusal;
    } finally {
      if (!isDone) {
        pending.clear();
      }
    }
  }

  private RewrappedBatch takeNext(RecordRewrapper rewrapper) {
    if (pending.isEmpty()) {
      Position here = position;
      frontier = () -> here;
      startNext(rewrapper);
    }
    return pending.remove().get();
  }

  private Optional<Fence> writeAndStartNext(RewrappedBatch batch, RecordRewrapper rewrapper) {
    while (pending.size() < options.batchExecutor().batchesAhead()) {
      startNext(rewrapper);
    }
    Optional<Fence> refusal = write(batch);
    // Count failures only after the write: a batch whose write fails is rewrapped again.
    batch.failures().forEach(it -> addFailure(1, it));
    position = batch.scanned().next();
    return refusal;
  }

  private void startNext(RecordRewrapper rewrapper) {
    Supplier<Position> from = frontier;
    Supplier<ScannedBatch> scanned = options.batchExecutor().start(() -> scan(from.get()));
    frontier = () -> scanned.get().next();
    pending.add(options.batchExecutor().start(() -> rewrap(scanned.get(), rewrapper)));
  }

  private ScannedBatch scan(Position at) {
    if (isFinished(at)) {
      return new ScannedBatch(at, List.of(), at);
    }
    ScanRange range = ranges.get(at.range());
    List<StoredRecord> records = range.scan(at.after(), at.limit());
    return new ScannedBatch(at, records, positionAfter(at, records));
  }

  private RewrappedBatch rewrap(ScannedBatch scanned, RecordRewrapper rewrapper) {
    List<StoredRecord> records = scanned.records();
    if (!records.isEmpty() && ranges.get(scanned.start().range()).isOfMismatched()) {
      return correctVersionFields(scanned);
    }
    List<RecordChange> recordChanges = new ArrayList<>(records.size());
    List<Failure> batchFailures = new ArrayList<>();
    if (!records.isEmpty()) {
      FencedCollection collection = ranges.get(scanned.start().range()).collection();
      List<RecordRewrapper.Result> results =
          options.batchExecutor().mapAll(records, it -> rewrap(collection, it, rewrapper));
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

  /// A write of the same fields corrects the version field. The ranges before have rewrapped the
  /// records that need it.
  private static RewrappedBatch correctVersionFields(ScannedBatch scanned) {
    List<RecordChange> recordChanges =
        scanned.records().stream().map(it -> new RecordChange(it, it.fields())).toList();
    return new RewrappedBatch(scanned, recordChanges, List.of());
  }

  private RecordRewrapper.Result rewrap(
      FencedCollection collection, StoredRecord record, RecordRewrapper rewrapper) {
    return options
        .failpoints()
        .at(Failpoint.RECORD_REWRAP, () -> rewrapper.rewrap(collection.collection(), record));
  }

  private Position startOf(int range) {
    return new Position(range, null, Math.min(FIRST_BATCH, maxBatch));
  }

  private Position positionAfter(Position at, List<StoredRecord> scanned) {
    return scanned.size() < at.limit()
        ? startOf(at.range() + 1)
        : new Position(at.range(), scanned.getLast().id(), nextLimit(scanned));
  }

  /// As many records as fit into the bytes of a batch, if they are like the last ones.
  private int nextLimit(List<StoredRecord> scanned) {
    long bytes = 1;
    for (StoredRecord record : scanned) {
      bytes += record.fields().totalLength();
    }
    return Math.clamp(BATCH_BYTES * scanned.size() / bytes, 1, maxBatch);
  }

  /// The sweep handles records that changed meanwhile, and records whose write got no answer.
  private Optional<Fence> write(RewrappedBatch batch) {
    if (mode == Mode.DRY_RUN || batch.recordChanges().isEmpty()) {
      return Optional.empty();
    }
    FencedCollection collection = ranges.get(batch.scanned().start().range()).collection();
    Optional<Fence> refusal = Optional.empty();
    List<RecordWriteResult> writes = collection.write(batch.recordChanges());
    for (int i = 0; i < writes.size(); i++) {
      RecordChange change = batch.recordChanges().get(i);
      switch (writes.get(i)) {
        // A record with corrected version field was done before.
        case RecordWriteResult.Stored() ->
            written += change.before().fields().equals(change.after()) ? 0 : 1;
        case RecordWriteResult.Fenced(Fence by) -> refusal = Optional.of(by);
        case Conflict(), Unknown() -> {}
      }
    }
    return refusal;
  }
}
