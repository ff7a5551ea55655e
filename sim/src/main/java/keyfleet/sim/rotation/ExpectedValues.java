package keyfleet.sim.rotation;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// The values that the stored fields may hold. Each field has one writer, which reads it first and
/// then compares and sets; so after a write is acknowledged, no earlier write can arrive.
final class ExpectedValues {
  record FieldSlot(String collection, String record, String field)
      implements Comparable<FieldSlot> {
    private static final Comparator<FieldSlot> ORDER =
        Comparator.comparing(FieldSlot::collection)
            .thenComparing(FieldSlot::record)
            .thenComparing(FieldSlot::field);

    @Override
    public int compareTo(FieldSlot other) {
      return ORDER.compare(this, other);
    }
  }

  private final Map<FieldSlot, String> acknowledged = new TreeMap<>();
  private final Map<FieldSlot, Set<String>> pending = new HashMap<>();

  /// A write was sent; its outcome is not known yet.
  void recordSent(FieldSlot slot, String text) {
    pending.computeIfAbsent(slot, _ -> new HashSet<>()).add(text);
  }

  void recordAcknowledged(FieldSlot slot, String text) {
    acknowledged.put(slot, text);
    pending.remove(slot);
  }

  /// The write was not applied and will not be.
  void recordRefused(FieldSlot slot, String text) {
    pending.getOrDefault(slot, new HashSet<>()).remove(text);
  }

  /// The fields that must hold a value.
  Set<FieldSlot> slots() {
    return acknowledged.keySet();
  }

  /// Whether the field may hold `text`: the last acknowledged value, or one of unknown outcome.
  boolean isAllowed(FieldSlot slot, String text) {
    return text.equals(acknowledged.get(slot))
        || pending.getOrDefault(slot, Set.of()).contains(text);
  }
}
