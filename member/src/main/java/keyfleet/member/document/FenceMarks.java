package keyfleet.member.document;

import keyfleet.keyring.SafeHold.FenceMark;
import keyfleet.store.Fence;

/// What the rules for keys need to know of a store's fence.
public final class FenceMarks {
  private FenceMarks() {}

  public static FenceMark of(Fence fence) {
    return new FenceMark(fence.term().incarnation(), fence.term().epoch(), fence.writable());
  }
}
