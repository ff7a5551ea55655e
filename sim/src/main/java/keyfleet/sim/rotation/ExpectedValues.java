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
  private final Map<FieldSlot, Set<String>> open = new HashMap<>();

  /// A write was sent, and what became of it is not known yet.
  void sent(FieldSlot slot, String text) {
    open.computeIfAbsent(slot, _ -> new HashSet<>()).add(text);
  }

  void acknowledged(FieldSlot slot, String text) {
    acknowledged.put(slot, text);
    open.remove(slot);
  }

  /// It was not applied, and will not be.
  void refused(FieldSlot slot, String text) {
    open.getOrDefault(slot, new HashSet<>()).remove(text);
  }

  /// Slots that must hold a value.
  Set<FieldSlot> slots() {
    return acknowledged.keySet();
  }

  /// Whether the slot may hold `text`: what was acknowledged last, or a write whose fate is open.
  boolean allows(FieldSlot slot, String text) {
    return text.equals(acknowledged.get(slot)) || open.getOrDefault(slot, Set.of()).contains(text);
  }
}
