package keyfleet.sim.rotation;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// What applications were told about their values. Each value has one writer, who reads before it
/// writes and compares and sets; so once a write is acknowledged, none before it can come any more.
final class ExpectedValues {
  /// A field of a record of a collection.
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

  /// A write was sent, and what became of it is not known yet.
  void recordSent(FieldSlot fieldSlot, String text) {
    pending.computeIfAbsent(fieldSlot, _ -> new HashSet<>()).add(text);
  }

  void recordAcknowledged(FieldSlot fieldSlot, String text) {
    acknowledged.put(fieldSlot, text);
    pending.remove(fieldSlot);
  }

  /// It was not applied, and will not be.
  void recordRefused(FieldSlot fieldSlot, String text) {
    pending.getOrDefault(fieldSlot, new HashSet<>()).remove(text);
  }

  /// Slots that must hold a value.
  Set<FieldSlot> fieldSlots() {
    return acknowledged.keySet();
  }

  /// Whether the slot may hold `text`: what was acknowledged last, or a write whose fate is open.
  boolean isAllowed(FieldSlot fieldSlot, String text) {
    return text.equals(acknowledged.get(fieldSlot))
        || pending.getOrDefault(fieldSlot, Set.of()).contains(text);
  }
}
