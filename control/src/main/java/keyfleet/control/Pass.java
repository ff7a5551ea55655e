package keyfleet.control;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Supplier;
import keyfleet.control.Mover.InPlace;
import keyfleet.control.Mover.Moved;
import keyfleet.control.Mover.Stuck;
import keyfleet.control.Progress.Failure;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Job;
import keyfleet.keyring.RotationId;
import keyfleet.store.Census;
import keyfleet.store.Change;
import keyfleet.store.Conflict;
import keyfleet.store.Fence;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWrite;
import keyfleet.store.StoredRecord;
import keyfleet.store.Unknown;
import org.jspecify.annotations.Nullable;

/// One way through the records of a keyring, in batches. It lives in its driver's memory: whoever
/// adopts the rotation begins anew, and finds what was moved moved.
///
/// While a batch is written, the next one is read and moved. That makes the time longer between
/// reading a record and writing it, and costs no safety: each is compared and set.
final class Pass {
  /// Records that are read, moved and written together, at most. A driver gives its sign of life
  /// between two batches, and other writers wait for no more than one.
  static final int BATCH = 1_000;

  /// Before it is known how long the records are.
  static final int FIRST_BATCH = 50;

  /// Of sealed fields in one batch, about. Two batches are in memory at a time, as they were and as
  /// they shall be.
  private static final long BATCH_BYTES = 4 << 20;

  /// What a pass works with.
  ///
  /// @param most records of one batch, for who shall go slowly
  record Means(Crew crew, int most, Failpoints failpoints) {}

  private record Lane(Shelf shelf, KekVersion version) {}

  /// Where a pass goes on.
  private record Position(int lane, @Nullable RecordId after, int limit) {}

  /// Records that were read and moved, but not written yet, and where the pass goes on after them.
  private record Batch(Lane lane, List<Change> changes, List<Failure> stuck, Position next) {}

  private enum Mode {
    WRITING,
    REHEARSING
  }

  private final Mode mode;
  private final Means means;
  private final List<Lane> lanes = new ArrayList<>();
  private final List<Failure> failures = new ArrayList<>();
  private Position position;

  /// The batch at the position, if it was begun while the one before was written. A rotation that
  /// ends or changes meanwhile leaves it alone, and so nothing of it is written.
  private @Nullable Supplier<Batch> ahead;

  private long total;
  private long done;
  private long moved;
  private long failed;

  private Pass(Mode mode, Means means) {
    this.mode = mode;
    this.means = means;
    this.position = start(0);
  }

  /// Over the records of the version that the job leaves.
  static Pass leaving(Stock stock, Job job, Means means) {
    return leaving(stock, job, new Pass(Mode.WRITING, means));
  }

  /// As [#leaving], and nothing is written: what would get stuck is found all the same.
  static Pass rehearsing(Stock stock, Job job, Means means) {
    return leaving(stock, job, new Pass(Mode.REHEARSING, means));
  }

  private static Pass leaving(Stock stock, Job job, Pass pass) {
    for (Shelf shelf : stock.shelves()) {
      pass.count(shelf.census(), job);
      pass.lanes.add(new Lane(shelf, job.from()));
    }
    return pass;
  }

  /// Over every record with a field that is not under the target.
  static Pass sweeping(Stock stock, Job job, Means means) {
    Pass pass = new Pass(Mode.WRITING, means);
    for (Shelf shelf : stock.shelves()) {
      Census census = shelf.census();
      pass.count(census, job);
      census.belonging().keySet().stream()
          .filter(version -> !version.equals(job.to()) || hidesHigher(census, version))
          .forEach(version -> pass.lanes.add(new Lane(shelf, version)));
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

  private void count(Census census, Job job) {
    total += census.belonging().values().stream().mapToLong(Long::longValue).sum();
    done += census.belonging().getOrDefault(job.to(), 0L);
  }

  private void fail(long records, Failure failure) {
    failed += records;
    if (failures.size() < Progress.MAX_LISTED) {
      failures.add(failure);
    }
  }

  boolean isThrough() {
    return isThrough(position);
  }

  long failed() {
    return failed;
  }

  /// Records that this pass has written.
  long moved() {
    return moved;
  }

  Progress progress(RotationId rotation, String note) {
    return new Progress(rotation, total, done + moved, failed, note, failures);
  }

  private boolean isThrough(Position at) {
    return at.lane() == lanes.size();
  }

  /// Moves one batch. A fence that refused some of it is returned.
  Optional<Fence> step(Mover mover) {
    Supplier<Batch> begun = ahead;
    ahead = null; // if it cannot be had, the next step begins it anew
    Batch batch = begun == null ? batch(position, mover) : begun.get();
    Position next = batch.next();
    Supplier<Batch> after = isThrough(next) ? null : means.crew().begin(() -> batch(next, mover));
    Optional<Fence> refusal = written(batch.lane().shelf(), batch.changes());
    batch.stuck().forEach(it -> fail(1, it)); // not before it is written: it may be retried
    position = next;
    ahead = after;
    return refusal;
  }

  private Batch batch(Position at, Mover mover) {
    Lane lane = lanes.get(at.lane());
    List<StoredRecord> found = lane.shelf().scan(lane.version(), at.after(), at.limit());
    List<Mover.Moving> movings = means.crew().each(found, it -> moved(lane.shelf(), it, mover));
    List<Change> changes = new ArrayList<>(found.size());
    List<Failure> stuck = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      switch (movings.get(i)) {
        case InPlace() -> {}
        case Stuck(String reason) ->
            stuck.add(new Failure(lane.shelf().title(), found.get(i).id().value(), reason));
        case Moved(Change change) -> changes.add(change);
      }
    }
    return new Batch(lane, changes, stuck, next(at, found));
  }

  private Mover.Moving moved(Shelf shelf, StoredRecord record, Mover mover) {
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
      bytes += record.fields().length();
    }
    return Math.clamp(BATCH_BYTES * found.size() / bytes, 1, means.most());
  }

  /// A record that somebody changed meanwhile, or whose write got no answer, is left for the sweep.
  private Optional<Fence> written(Shelf shelf, List<Change> changes) {
    if (mode == Mode.REHEARSING || changes.isEmpty()) {
      return Optional.empty();
    }
    Optional<Fence> refusal = Optional.empty();
    for (RecordWrite write : shelf.write(changes)) {
      switch (write) {
        case RecordWrite.Stored() -> moved++;
        case RecordWrite.Fenced(Fence by) -> refusal = Optional.of(by);
        case Conflict(), Unknown() -> {}
      }
    }
    return refusal;
  }
}
