package keyfleet.store;

import java.util.Optional;
import keyfleet.store.FenceResult.Raised;
import keyfleet.store.FenceResult.StaleTerm;
import keyfleet.store.RecordWriteResult.Fenced;
import org.jspecify.annotations.Nullable;

/// Fences a collection with custom rules, to test wrong ones.
final class CustomRuleFence implements ForwardingRecords {
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

  CustomRuleFence(Records inner, Rules rules) {
    this.inner = inner;
    this.rules = rules;
  }

  @Override
  public Records inner() {
    return inner;
  }

  @Override
  public synchronized RecordWriteResult insert(StoredRecord added) {
    Fence held = fence;
    return held == null || rules.allows(held, SealedFields.NONE, added.fields())
        ? inner.insert(added)
        : new Fenced(held);
  }

  @Override
  public synchronized RecordWriteResult compareAndSet(RecordChange recordChange) {
    Fence held = fence;
    return held == null || rules.allows(held, recordChange.before().fields(), recordChange.after())
        ? inner.compareAndSet(recordChange)
        : new Fenced(held);
  }

  @Override
  public synchronized FenceResult fence(Fence next) {
    Fence held = fence;
    if (held != null && !rules.yields(held, next)) {
      return new StaleTerm(held);
    }
    fence = next;
    return new Raised();
  }

  @Override
  public synchronized Optional<Fence> fence() {
    return Optional.ofNullable(fence);
  }
}
