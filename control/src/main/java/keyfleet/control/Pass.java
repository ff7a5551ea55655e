package keyfleet.control;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
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
final class Pass {
  /// Records that are read at once, at most. A driver gives its sign of life between two batches.
  static final int BATCH = 200;

  private record Lane(Shelf shelf, KekVersion version) {}

  private enum Mode {
    WRITING,
    REHEARSING
  }

  private final Mode mode;
  private final int batchSize;
  private final Failpoints failpoints;
  private final Deque<Lane> lanes = new ArrayDeque<>();
  private final List<Failure> failures = new ArrayList<>();
  private @Nullable RecordId after;
  private long total;
  private long done;
  private long moved;
  private long failed;

  private Pass(Mode mode, int batchSize, Failpoints failpoints) {
    this.mode = mode;
    this.batchSize = batchSize;
    this.failpoints = failpoints;
  }

  /// Over the records of the version that the job leaves.
  static Pass leaving(Stock stock, Job job, int batchSize, Failpoints failpoints) {
    return leaving(stock, job, new Pass(Mode.WRITING, batchSize, failpoints));
  }

  /// As [#leaving], and nothing is written: what would get stuck is found all the same.
  static Pass rehearsing(Stock stock, Job job, int batchSize, Failpoints failpoints) {
    return leaving(stock, job, new Pass(Mode.REHEARSING, batchSize, failpoints));
  }

  private static Pass leaving(Stock stock, Job job, Pass pass) {
    for (Shelf shelf : stock.shelves()) {
      pass.count(shelf.census(), job);
      pass.lanes.add(new Lane(shelf, job.from()));
    }
    return pass;
  }

  /// Over every record with a field that is not under the target.
  static Pass sweeping(Stock stock, Job job, int batchSize, Failpoints failpoints) {
    Pass pass = new Pass(Mode.WRITING, batchSize, failpoints);
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
    return lanes.isEmpty();
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

  /// Moves one batch. A fence that refused some of it is returned.
  Optional<Fence> step(Mover mover) {
    Lane lane = lanes.element();
    List<StoredRecord> batch = lane.shelf().scan(lane.version(), after, batchSize);
    List<Change> changes = new ArrayList<>();
    List<Failure> stuck = new ArrayList<>();
    for (StoredRecord record : batch) {
      switch (moved(lane.shelf(), record, mover)) {
        case InPlace() -> {}
        case Stuck(String reason) ->
            stuck.add(new Failure(lane.shelf().title(), record.id().value(), reason));
        case Moved(Change change) -> changes.add(change);
      }
    }
    Optional<Fence> refusal = written(lane.shelf(), changes);
    stuck.forEach(
        failure -> fail(1, failure)); // not before the batch is written: it may be retried
    goOn(batch);
    return refusal;
  }

  private Mover.Moving moved(Shelf shelf, StoredRecord record, Mover mover) {
    return failpoints.at(Failpoint.RECORD_MOVE, () -> mover.move(shelf.collection(), record));
  }

  private void goOn(List<StoredRecord> batch) {
    if (batch.size() < batchSize) {
      lanes.remove();
      after = null;
    } else {
      after = batch.getLast().id();
    }
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
