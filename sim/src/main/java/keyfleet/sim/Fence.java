package keyfleet.sim;

import java.util.Set;
import keyfleet.crypto.KekVersion;

/// What a store admits: records may newly become one of `writable`. It remembers the epoch of
/// whoever told it.
public record Fence(Set<KekVersion> writable, long epoch) {
  public Fence {
    writable = Set.copyOf(writable);
  }
}
