package keyfleet.rollout.target;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// What a node reports about itself: lists of values under dotted paths (`os.family`). A path with
/// an empty list is known to have no value; a path that is absent is unknown. The node writes its
/// own facts, so they select nodes and never authorise one.
public record Facts(Map<String, List<String>> values) {
  public static final Facts NONE = new Facts(Map.of());

  public Facts {
    Map<String, List<String>> copy = new TreeMap<>();
    values.forEach((path, list) -> copy.put(path, List.copyOf(list)));
    values = Collections.unmodifiableMap(copy);
  }

  /// The values at `path`; empty if the node does not report it.
  public Optional<List<String>> valuesAt(String path) {
    return Optional.ofNullable(values.get(path));
  }

  /// Whether there is a fact with a value below `path`.
  boolean hasValueBelow(String path) {
    return values.entrySet().stream()
        .anyMatch(e -> e.getKey().startsWith(path + ".") && !e.getValue().isEmpty());
  }
}
