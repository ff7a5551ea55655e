package keyfleet.sim;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Bytes;
import keyfleet.store.Census;
import keyfleet.store.Fence;
import keyfleet.store.FenceResult;
import keyfleet.store.ForwardingRecords;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;
import org.jspecify.annotations.Nullable;

/// Collections with one bug each.
final class BuggyRecords {
  private BuggyRecords() {}

  /// The fence is acknowledged but never raised.
  record NoFence(Records inner) implements ForwardingRecords {
    @Override
    public FenceResult fence(Fence fence) {
      return new FenceResult.Raised();
    }
  }

  /// The last fence wins, even with a lower epoch.
  record FenceWithoutEpoch(Records inner) implements ForwardingRecords {
    @Override
    public FenceResult fence(Fence fence) {
      Fence.Term latest = inner.fence().map(Fence::term).orElse(fence.term());
      boolean older = fence.term().epoch() < latest.epoch();
      return inner.fence(older ? new Fence(latest, fence.writable()) : fence);
    }
  }

  /// Every version from the lowest writable one on may be written.
  static final class FenceAsLowerBound implements ForwardingRecords {
    private static final int MOST = 9;

    private final Records inner;
    private @Nullable Fence requested;

    FenceAsLowerBound(Records inner) {
      this.inner = inner;
    }

    @Override
    public Records inner() {
      return inner;
    }

    @Override
    public FenceResult fence(Fence fence) {
      TreeSet<KekVersion> more = new TreeSet<>(fence.writable());
      for (int version = fence.writable().first().number(); version < MOST; version++) {
        more.add(new KekVersion(version));
      }
      FenceResult result = inner.fence(new Fence(fence.term(), more));
      requested = result instanceof FenceResult.Raised ? fence : requested;
      return result;
    }

    @Override
    public Optional<Fence> fence() {
      return Optional.ofNullable(requested);
    }
  }

  /// A fence that allows only one version is acknowledged but not raised until the old version is
  /// removed.
  record NoClosingFence(Records inner) implements ForwardingRecords {
    @Override
    public FenceResult fence(Fence fence) {
      return fence.writable().size() == 1 ? new FenceResult.Raised() : inner.fence(fence);
    }
  }

  /// No fence is ever read, so no keystore is ever held.
  record NoMark(Records inner) implements ForwardingRecords {
    @Override
    public Optional<Fence> fence() {
      return Optional.empty();
    }
  }

  /// A fence is read with a lower epoch than it has.
  record LowerMark(Records inner) implements ForwardingRecords {
    @Override
    public Optional<Fence> fence() {
      return inner.fence().map(LowerMark::lower);
    }

    private static Fence lower(Fence fence) {
      Fence.Term term = fence.term();
      long epoch = Math.max(1, term.epoch() - 1);
      return new Fence(new Fence.Term(term.incarnation(), epoch), fence.writable());
    }
  }

  /// A scan finds nothing.
  record NoScan(Records inner) implements ForwardingRecords {
    @Override
    public List<StoredRecord> scan(KekVersion version, int limit) {
      return List.of();
    }
  }

  /// A census finds nothing.
  record NoCensus(Records inner) implements ForwardingRecords {
    @Override
    public Census census() {
      return new Census(new TreeMap<>(), new TreeMap<>(), 0);
    }
  }

  /// A record counts only under its lowest version.
  record LowestVersionOnly(Records inner) implements ForwardingRecords {
    @Override
    public Census census() {
      Census census = inner.census();
      return new Census(census.belonging(), census.belonging(), census.unreadable());
    }
  }

  /// A record counts, and is found, under the version of its first field only (hazard H8).
  record OuterVersion(Records inner) implements ForwardingRecords {
    @Override
    public Census census() {
      SortedMap<KekVersion, Long> outer = new TreeMap<>();
      all().forEach(it -> outer(it).ifPresent(version -> outer.merge(version, 1L, Long::sum)));
      return new Census(outer, outer, 0);
    }

    private List<StoredRecord> all() {
      return inner.census().belonging().keySet().stream()
          .flatMap(version -> inner.scan(version, 1_000).stream())
          .toList();
    }

    private static Optional<KekVersion> outer(StoredRecord record) {
      return record.fields().byName().values().stream()
          .findFirst()
          .flatMap(bytes -> Envelope.parse(bytes.toArray()))
          .map(Envelope::version);
    }

    @Override
    public List<StoredRecord> scan(KekVersion version, int limit) {
      return all().stream().filter(it -> outer(it).equals(Optional.of(version))).toList();
    }

    @Override
    public List<StoredRecord> scan(KekVersion version, RecordId after, int limit) {
      return List.of();
    }
  }

  /// One write in eight is acknowledged but never applied.
  static final class AckBeforeWrite implements ForwardingRecords {
    private static final int ODDS = 8;

    private final Records inner;
    private int writes;

    AckBeforeWrite(Records inner) {
      this.inner = inner;
    }

    @Override
    public Records inner() {
      return inner;
    }

    @Override
    public RecordWriteResult compareAndSet(RecordChange change) {
      return ++writes % ODDS == 0 ? new RecordWriteResult.Stored() : inner.compareAndSet(change);
    }
  }

  /// A change overwrites whatever is stored.
  record BlindWrite(Records inner) implements ForwardingRecords {
    @Override
    public RecordWriteResult compareAndSet(RecordChange change) {
      return inner
          .read(change.before().id())
          .map(present -> inner.compareAndSet(new RecordChange(present, change.after())))
          .orElseGet(() -> inner.compareAndSet(change));
    }
  }

  /// A rewrapped record gets the first field's bytes in every field.
  record FirstFieldEverywhere(Records inner) implements ForwardingRecords {
    @Override
    public RecordWriteResult compareAndSet(RecordChange change) {
      SortedMap<String, Bytes> fields = new TreeMap<>(change.after().byName());
      Bytes first = fields.firstEntry().getValue();
      fields.replaceAll((_, _) -> first);
      return inner.compareAndSet(new RecordChange(change.before(), new SealedFields(fields)));
    }
  }
}
