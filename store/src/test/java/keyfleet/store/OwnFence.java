package keyfleet.store;

import java.util.Optional;
import keyfleet.store.Fencing.Behind;
import keyfleet.store.Fencing.Raised;
import keyfleet.store.RecordWrite.Fenced;
import org.jspecify.annotations.Nullable;

/// Fences a collection with custom rules, to test wrong ones.
final class OwnFence implements ForwardingRecords {
  /// The rules of a wrong engine; the defaults are right.
  interface Rules {
    default boolean yields(Fence held, Fence next) {
      return held.yieldsTo(next);
    }

    default boolean allows(Fence held, SealedFields before, SealedFields after) {
      return held.allows(before, after);
    }
  }

  private final Records inner;
  private final Rules rules;
  private @Nullable Fence fence;

  OwnFence(Records inner, Rules rules) {
    this.inner = inner;
    this.rules = rules;
  }

  @Override
  public Records inner() {
    return inner;
  }

  @Override
  public synchronized RecordWrite insert(StoredRecord added) {
    Fence held = fence;
    return held == null || rules.allows(held, SealedFields.NONE, added.fields())
        ? inner.insert(added)
        : new Fenced(held);
  }

  @Override
  public synchronized RecordWrite compareAndSet(Change change) {
    Fence held = fence;
    return held == null || rules.allows(held, change.from().fields(), change.to())
        ? inner.compareAndSet(change)
        : new Fenced(held);
  }

  @Override
  public synchronized Fencing fence(Fence next) {
    Fence held = fence;
    if (held != null && !rules.yields(held, next)) {
      return new Behind(held);
    }
    fence = next;
    return new Raised();
  }

  @Override
  public synchronized Optional<Fence> fence() {
    return Optional.ofNullable(fence);
  }
}
