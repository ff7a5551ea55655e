package keyfleet.sim;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// What applications were told about their values. Each value has one writer, who reads before it
/// writes and compares and sets; so once a write is acknowledged, none before it can come any more.
final class Told {
  /// A field of a record of a collection.
  record Slot(String collection, String record, String field) implements Comparable<Slot> {
    private static final Comparator<Slot> ORDER =
        Comparator.comparing(Slot::collection)
            .thenComparing(Slot::record)
            .thenComparing(Slot::field);

    @Override
    public int compareTo(Slot other) {
      return ORDER.compare(this, other);
    }
  }

  private final Map<Slot, String> acknowledged = new TreeMap<>();
  private final Map<Slot, Set<String>> open = new HashMap<>();

  /// A write was sent, and what became of it is not known yet.
  void sent(Slot slot, String text) {
    open.computeIfAbsent(slot, _ -> new HashSet<>()).add(text);
  }

  void acknowledged(Slot slot, String text) {
    acknowledged.put(slot, text);
    open.remove(slot);
  }

  /// It was not applied, and will not be.
  void refused(Slot slot, String text) {
    open.getOrDefault(slot, new HashSet<>()).remove(text);
  }

  /// Slots that must hold a value.
  Set<Slot> slots() {
    return acknowledged.keySet();
  }

  /// Whether the slot may hold `text`: what was acknowledged last, or a write whose fate is open.
  boolean allows(Slot slot, String text) {
    return text.equals(acknowledged.get(slot)) || open.getOrDefault(slot, Set.of()).contains(text);
  }
}
