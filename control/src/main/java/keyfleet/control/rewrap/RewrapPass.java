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
  public static final int BATCH = 1_000;

  /// Before it is known how long the records are.
  public static final int FIRST_BATCH = 50;

  /// Of sealed fields in one batch, about. A batch is in memory as it was and as it shall be, and
  /// so are those that the crew has begun.
  private static final long BATCH_BYTES = 2 << 20;

  /// What a pass works with.
  ///
  /// @param most records of one batch, for who shall go slowly
  public record Options(BatchExecutor crew, int most, Failpoints failpoints) {}

  private record ScanRange(FencedCollection shelf, KekVersion version) {}

  /// Where a pass goes on.
  private record Position(int lane, @Nullable RecordId after, int limit) {}

  /// Records that were read at a position, and where the pass goes on after them. Nothing is read
  /// at the end.
  private record ScannedBatch(Position at, List<StoredRecord> records, Position next) {}

  /// Records that were read and moved, but not written yet.
  private record RewrappedBatch(
      ScannedBatch found, List<RecordChange> recordChanges, List<Failure> stuck) {}

  private enum Mode {
    WRITING,
    REHEARSING
  }

  private final Mode mode;
  private final Options means;
  private final List<ScanRange> lanes = new ArrayList<>();
  private final List<Failure> failures = new ArrayList<>();
  private Position position;

  /// The batches from the position on that were begun while those before were written. A rotation
  /// that ends or changes meanwhile leaves them alone, and so nothing of them is written.
  private final Deque<Supplier<RewrappedBatch>> begun = new ArrayDeque<>();

  /// Where the last of them ends, once it is read.
  private Supplier<Position> frontier;

  private long total;
  private long done;
  private long moved;
  private long failed;

  private RewrapPass(Mode mode, Options means) {
    this.mode = mode;
    this.means = means;
    Position first = start(0);
    this.position = first;
    this.frontier = () -> first;
  }

  /// Over the records of the version that the job leaves.
  public static RewrapPass leaving(CollectionSet stock, RotationJob rotationJob, Options means) {
    return leaving(stock, rotationJob, new RewrapPass(Mode.WRITING, means));
  }

  /// As [#leaving], and nothing is written: what would get stuck is found all the same.
  public static RewrapPass rehearsing(CollectionSet stock, RotationJob rotationJob, Options means) {
    return leaving(stock, rotationJob, new RewrapPass(Mode.REHEARSING, means));
  }

  private static RewrapPass leaving(CollectionSet stock, RotationJob rotationJob, RewrapPass pass) {
    for (FencedCollection shelf : stock.shelves()) {
      pass.count(shelf.census(), rotationJob);
      pass.lanes.add(new ScanRange(shelf, rotationJob.from()));
    }
    return pass;
  }

  /// Over every record with a field that is not under the target.
  public static RewrapPass sweeping(CollectionSet stock, RotationJob rotationJob, Options means) {
    RewrapPass pass = new RewrapPass(Mode.WRITING, means);
    for (FencedCollection shelf : stock.shelves()) {
      Census census = shelf.census();
      pass.count(census, rotationJob);
      census.belonging().keySet().stream()
          .filter(version -> !version.equals(rotationJob.to()) || hidesHigher(census, version))
          .forEach(version -> pass.lanes.add(new ScanRange(shelf, version)));
      if (census.unreadable() > 0) {
        pass.fail(
            census.unreadable(),
            new Failure(shelf.title(), "", "records with a field that is no envelope"));
      }
    }
    return pass;
  }

  /// A record belongs to its lowest version. After an abort that may be the target, while another
  /// of its fields is under the version that was given up.
  private static boolean hidesHigher(Census census, KekVersion target) {
    SortedMap<KekVersion, Long> higher = census.carrying().tailMap(target);
    return higher.entrySet().stream()
        .filter(it -> !it.getKey().equals(target))
        .anyMatch(it -> it.getValue() > census.belonging().getOrDefault(it.getKey(), 0L));
  }

  private void count(Census census, RotationJob rotationJob) {
    total += census.belonging().values().stream().mapToLong(Long::longValue).sum();
    done += census.belonging().getOrDefault(rotationJob.to(), 0L);
  }

  private void fail(long records, Failure failure) {
    failed += records;
    if (failures.size() < RotationProgress.MAX_LISTED) {
      failures.add(failure);
    }
  }

  public boolean isThrough() {
    return isThrough(position);
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

  private boolean isThrough(Position at) {
    return at.lane() == lanes.size();
  }

  /// Moves one batch. A fence that refused some of it is returned. If it cannot be read, moved or
  /// written, the next step begins anew at the same position.
  public Optional<Fence> step(RecordRewrapper mover) {
    boolean isDone = false;
    try {
      Optional<Fence> refusal = written(taken(mover), mover);
      isDone = true;
      return refusal;
    } finally {
      if (!isDone) {
        begun.clear();
      }
    }
  }

  private RewrappedBatch taken(RecordRewrapper mover) {
    if (begun.isEmpty()) {
      Position here = position;
      frontier = () -> here;
      begin(mover);
    }
    return begun.remove().get();
  }

  private Optional<Fence> written(RewrappedBatch batch, RecordRewrapper mover) {
    while (begun.size() < means.crew().ahead()) {
      begin(mover);
    }
    Optional<Fence> refusal = written(batch);
    batch.stuck().forEach(it -> fail(1, it)); // not before it is written: it may be retried
    position = batch.found().next();
    return refusal;
  }

  private void begin(RecordRewrapper mover) {
    Supplier<Position> from = frontier;
    Supplier<ScannedBatch> found = means.crew().begin(() -> found(from.get()));
    frontier = () -> found.get().next();
    begun.add(means.crew().begin(() -> moved(found.get(), mover)));
  }

  private ScannedBatch found(Position at) {
    if (isThrough(at)) {
      return new ScannedBatch(at, List.of(), at);
    }
    ScanRange lane = lanes.get(at.lane());
    List<StoredRecord> records = lane.shelf().scan(lane.version(), at.after(), at.limit());
    return new ScannedBatch(at, records, next(at, records));
  }

  private RewrappedBatch moved(ScannedBatch found, RecordRewrapper mover) {
    List<StoredRecord> records = found.records();
    List<RecordChange> recordChanges = new ArrayList<>(records.size());
    List<Failure> stuck = new ArrayList<>();
    if (!records.isEmpty()) {
      FencedCollection shelf = lanes.get(found.at().lane()).shelf();
      List<RecordRewrapper.Result> movings =
          means.crew().each(records, it -> moved(shelf, it, mover));
      for (int i = 0; i < records.size(); i++) {
        switch (movings.get(i)) {
          case UpToDate() -> {}
          case Failed(String reason) ->
              stuck.add(new Failure(shelf.title(), records.get(i).id().value(), reason));
          case Changed(RecordChange recordChange) -> recordChanges.add(recordChange);
        }
      }
    }
    return new RewrappedBatch(found, recordChanges, stuck);
  }

  private RecordRewrapper.Result moved(
      FencedCollection shelf, StoredRecord record, RecordRewrapper mover) {
    return means
        .failpoints()
        .at(Failpoint.RECORD_MOVE, () -> mover.move(shelf.collection(), record));
  }

  private Position start(int lane) {
    return new Position(lane, null, Math.min(FIRST_BATCH, means.most()));
  }

  private Position next(Position at, List<StoredRecord> found) {
    return found.size() < at.limit()
        ? start(at.lane() + 1)
        : new Position(at.lane(), found.getLast().id(), limit(found));
  }

  /// As many as are not too long together, if they are like the last ones.
  private int limit(List<StoredRecord> found) {
    long bytes = 1;
    for (StoredRecord record : found) {
      bytes += record.fields().totalLength();
    }
    return Math.clamp(BATCH_BYTES * found.size() / bytes, 1, means.most());
  }

  /// A record that somebody changed meanwhile, or whose write got no answer, is left for the sweep.
  private Optional<Fence> written(RewrappedBatch batch) {
    if (mode == Mode.REHEARSING || batch.recordChanges().isEmpty()) {
      return Optional.empty();
    }
    FencedCollection shelf = lanes.get(batch.found().at().lane()).shelf();
    Optional<Fence> refusal = Optional.empty();
    for (RecordWriteResult write : shelf.write(batch.recordChanges())) {
      switch (write) {
        case RecordWriteResult.Stored() -> moved++;
        case RecordWriteResult.Fenced(Fence by) -> refusal = Optional.of(by);
        case Conflict(), Unknown() -> {}
      }
    }
    return refusal;
  }
}
