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
    default boolean canYield(Fence held, Fence next) {
      return held.canYieldTo(next);
    }

    default boolean isChangeAllowed(Fence held, SealedFields before, SealedFields after) {
      return held.isChangeAllowed(before, after);
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
    return held == null || rules.isChangeAllowed(held, SealedFields.NONE, added.fields())
        ? inner.insert(added)
        : new Fenced(held);
  }

  @Override
  public synchronized RecordWriteResult compareAndSet(RecordChange change) {
    Fence held = fence;
    return held == null || rules.isChangeAllowed(held, change.before().fields(), change.after())
        ? inner.compareAndSet(change)
        : new Fenced(held);
  }

  @Override
  public synchronized FenceResult fence(Fence next) {
    Fence held = fence;
    if (held != null && !rules.canYield(held, next)) {
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
