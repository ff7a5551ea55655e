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
  void recordSent(FieldSlot fieldSlot, String text) {
    pending.computeIfAbsent(fieldSlot, _ -> new HashSet<>()).add(text);
  }

  void recordAcknowledged(FieldSlot fieldSlot, String text) {
    acknowledged.put(fieldSlot, text);
    pending.remove(fieldSlot);
  }

  /// The write was not applied and will not be.
  void recordRefused(FieldSlot fieldSlot, String text) {
    pending.getOrDefault(fieldSlot, new HashSet<>()).remove(text);
  }

  /// The fields that must hold a value.
  Set<FieldSlot> fieldSlots() {
    return acknowledged.keySet();
  }

  /// Whether the field may hold `text`: the last acknowledged value, or one of unknown outcome.
  boolean isAllowed(FieldSlot fieldSlot, String text) {
    return text.equals(acknowledged.get(fieldSlot))
        || pending.getOrDefault(fieldSlot, Set.of()).contains(text);
  }
}
