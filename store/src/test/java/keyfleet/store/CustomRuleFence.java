package keyfleet.store;

import java.util.Optional;
import java.util.function.BiPredicate;
import keyfleet.store.FenceResult.Raised;
import keyfleet.store.FenceResult.Refused;
import keyfleet.store.RecordWriteResult.Fenced;
import org.jspecify.annotations.Nullable;

/// Fences a collection with custom rules, to test wrong ones.
final class CustomRuleFence implements ForwardingRecords {
  interface ChangeRule {
    boolean isChangeAllowed(Fence held, SealedFields before, SealedFields after);
  }

  private final Records inner;
  private final ChangeRule changeRule;
  private final BiPredicate<Fence, Fence> yieldRule;
  private final BiPredicate<Fence, Fence> replaceRule;
  private @Nullable Fence fence;

  /// The right rules are `Fence::isChangeAllowed` and `Fence::canYieldTo`.
  CustomRuleFence(Records inner, ChangeRule changeRule, BiPredicate<Fence, Fence> yieldRule) {
    this(inner, changeRule, yieldRule, Fence::equals);
  }

  /// `replaceRule` gets the present fence and the expected one; the right one is `Fence::equals`.
  CustomRuleFence(
      Records inner,
      ChangeRule changeRule,
      BiPredicate<Fence, Fence> yieldRule,
      BiPredicate<Fence, Fence> replaceRule) {
    this.inner = inner;
    this.changeRule = changeRule;
    this.yieldRule = yieldRule;
    this.replaceRule = replaceRule;
  }

  @Override
  public Records inner() {
    return inner;
  }

  @Override
  public synchronized RecordWriteResult insert(StoredRecord added) {
    Fence held = fence;
    return held == null || changeRule.isChangeAllowed(held, SealedFields.NONE, added.fields())
        ? inner.insert(added)
        : new Fenced(held);
  }

  @Override
  public synchronized RecordWriteResult compareAndSet(RecordChange change) {
    Fence held = fence;
    return held == null
            || changeRule.isChangeAllowed(held, change.before().fields(), change.after())
        ? inner.compareAndSet(change)
        : new Fenced(held);
  }

  @Override
  public synchronized FenceResult fence(Fence next) {
    Fence held = fence;
    if (held != null && !yieldRule.test(held, next)) {
      return new Refused(held);
    }
    fence = next;
    return new Raised();
  }

  @Override
  public synchronized FenceResult replaceFence(Fence held, Fence next) {
    Fence present = fence;
    if (present == null) {
      throw new StoreException("the collection has no fence to replace");
    }
    if (!replaceRule.test(present, held)) {
      return new Refused(present);
    }
    fence = next;
    return new Raised();
  }

  @Override
  public synchronized Optional<Fence> fence() {
    return Optional.ofNullable(fence);
  }
}
