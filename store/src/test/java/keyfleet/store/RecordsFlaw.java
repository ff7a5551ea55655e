package keyfleet.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import keyfleet.crypto.KekVersion;
import keyfleet.store.RecordWriteResult.Stored;

/// A way to break [Records].
enum RecordsFlaw {
  /// Acknowledges and drops every twentieth change.
  LOSSY(records -> {
    AtomicInteger changes = new AtomicInteger();
    return new Forwarding(records) {
      @Override
      public RecordWriteResult compareAndSet(RecordChange change) {
        boolean fits = records.read(change.before().id()).equals(Optional.of(change.before()));
        return fits && changes.incrementAndGet() % 20 == 0
            ? new Stored()
            : records.compareAndSet(change);
      }
    };
  }),

  /// Reads the state before the last change, as a secondary may.
  STALE(records -> {
    List<StoredRecord> past = new ArrayList<>();
    return new Forwarding(records) {
      @Override
      public synchronized RecordWriteResult compareAndSet(RecordChange change) {
        RecordWriteResult write = records.compareAndSet(change);
        if (write instanceof Stored) {
          past.addFirst(change.before());
        }
        return write;
      }

      @Override
      public synchronized Optional<StoredRecord> read(RecordId id) {
        return past.stream()
            .filter(it -> it.id().equals(id))
            .findFirst()
            .or(() -> records.read(id));
      }
    };
  }),

  COMPARES_ONE_FIELD(records ->
      new Forwarding(records) {
        @Override
        public RecordWriteResult compareAndSet(RecordChange change) {
          Optional<StoredRecord> held = records.read(change.before().id());
          boolean fits = held.isPresent() && first(held.get()).equals(first(change.before()));
          return fits
              ? records.compareAndSet(new RecordChange(held.get(), change.after()))
              : new Conflict();
        }
      }),

  COUNTS_BY_HIGHEST(records ->
      new Forwarding(records) {
        @Override
        public Census census() {
          SortedMap<KekVersion, Long> highest = new TreeMap<>();
          for (int version = 1; version <= 9; version++) {
            for (StoredRecord it : records.scan(new KekVersion(version), Integer.MAX_VALUE)) {
              highest.merge(it.fields().versions().last(), 1L, Long::sum);
            }
          }
          return new Census(highest, records.census().carrying(), records.census().unreadable());
        }
      }),

  /// Skips the first record of each following page.
  SCAN_SKIPS(records ->
      new Forwarding(records) {
        @Override
        public List<StoredRecord> scan(KekVersion version, RecordId after, int limit) {
          return records.scan(version, after, limit + 1).stream().skip(1).toList();
        }
      }),

  SCAN_REPEATS(records ->
      new Forwarding(records) {
        @Override
        public List<StoredRecord> scan(KekVersion version, RecordId after, int limit) {
          List<StoredRecord> page = new ArrayList<>(records.scan(version, after, limit - 1));
          if (!page.isEmpty()) {
            records.read(after).ifPresent(page::addFirst);
          }
          return page;
        }
      }),

  /// Takes a change that leaves the sealed fields as they are for nothing to do.
  SKIPS_EQUAL_FIELDS(records ->
      new Forwarding(records) {
        @Override
        public RecordWriteResult compareAndSet(RecordChange change) {
          boolean isEqual = change.before().fields().equals(change.after());
          return isEqual && records.read(change.before().id()).equals(Optional.of(change.before()))
              ? new Stored()
              : records.compareAndSet(change);
        }
      }),

  HIDES_MISMATCHES(records ->
      new Forwarding(records) {
        @Override
        public Census census() {
          Census census = records.census();
          return new Census(census.belonging(), census.carrying(), census.unreadable());
        }
      }),

  FINDS_NO_MISMATCHES(records ->
      new Forwarding(records) {
        @Override
        public List<StoredRecord> scanMismatched(int limit) {
          return List.of();
        }
      }),

  FENCE_STOPS_NOTHING(
      records -> new CustomRuleFence(records, (_, _, _) -> true, Fence::canYieldTo)),

  /// Like a flag in another table that each writer reads before it writes.
  FENCE_DOES_NOT_WAIT(NonBlockingFence::new),

  FENCE_STOPS_INSERTS_ONLY(records ->
      new CustomRuleFence(
          records,
          (held, before, after) ->
              !before.equals(SealedFields.NONE) || held.isChangeAllowed(before, after),
          Fence::canYieldTo)),

  /// Allows any change to records already outside the fence, as MongoDB's moderate validation does.
  FENCE_SPARES_OLD_RECORDS(records ->
      new CustomRuleFence(
          records,
          (held, before, after) -> {
            boolean old = !held.writable().containsAll(before.versions());
            return old || held.isChangeAllowed(before, after);
          },
          Fence::canYieldTo)),

  /// A constraint on the new row alone, which also refuses records that keep their old version.
  FENCE_STOPS_OLD_RECORDS(records ->
      new CustomRuleFence(
          records,
          (held, _, after) -> held.writable().containsAll(after.versions()),
          Fence::canYieldTo)),

  FENCE_NEEDS_A_NEW_TERM(records ->
      new CustomRuleFence(
          records,
          Fence::isChangeAllowed,
          (held, next) -> next.term().epoch() > held.term().epoch())),

  /// As if incarnations had an order.
  FENCE_YIELDS_TO_HIGHER_INCARNATION(records ->
      new CustomRuleFence(
          records,
          Fence::isChangeAllowed,
          (held, next) ->
              next.term().incarnation() > held.term().incarnation() || held.canYieldTo(next))),

  FENCE_REPLACED_UNSEEN(records ->
      new CustomRuleFence(records, Fence::isChangeAllowed, Fence::canYieldTo, (_, _) -> true)),

  /// Compares the epoch of the expected fence, not the fence.
  FENCE_REPLACED_BY_EPOCH(records ->
      new CustomRuleFence(
          records,
          Fence::isChangeAllowed,
          Fence::canYieldTo,
          (present, held) -> present.term().epoch() == held.term().epoch())),

  /// Replaces a fence under the rule of terms.
  FENCE_REPLACED_BY_TERM(records ->
      new Forwarding(records) {
        @Override
        public FenceResult replaceFence(Fence held, Fence next) {
          return records.fence(next);
        }
      }),

  /// Stores the replacement, which then stops nothing.
  REPLACED_FENCE_STOPS_NOTHING(records -> {
    AtomicReference<Fence> replacement = new AtomicReference<>();
    return new Forwarding(records) {
      @Override
      public FenceResult replaceFence(Fence held, Fence next) {
        replacement.set(next);
        return new FenceResult.Raised();
      }

      @Override
      public Optional<Fence> fence() {
        return Optional.ofNullable(replacement.get()).or(records::fence);
      }
    };
  }),

  FENCE_YIELDS_TO_ANY(
      records -> new CustomRuleFence(records, Fence::isChangeAllowed, (_, _) -> true));

  @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
  private final UnaryOperator<Records> breaking;

  RecordsFlaw(UnaryOperator<Records> breaking) {
    this.breaking = breaking;
  }

  Records applyTo(Records records) {
    return breaking.apply(records);
  }

  private static Bytes first(StoredRecord record) {
    return record.fields().byName().firstEntry().getValue();
  }

  private static class Forwarding implements ForwardingRecords {
    private final Records inner;

    Forwarding(Records inner) {
      this.inner = inner;
    }

    @Override
    public Records inner() {
      return inner;
    }
  }
}
