package keyfleet.rollout;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// What a node says about itself: lists of values under dotted paths (`os.family`). A path with an
/// empty list is known to have no value; a path that is absent is unknown. The node writes them, so
/// they choose nodes and never authorise one.
public record Facts(Map<String, List<String>> values) {
  public static final Facts NONE = new Facts(Map.of());

  public Facts {
    Map<String, List<String>> copy = new TreeMap<>();
    values.forEach((path, list) -> copy.put(path, List.copyOf(list)));
    values = Collections.unmodifiableMap(copy);
  }

  /// The values at `path`; nothing if the node does not say.
  public Optional<List<String>> at(String path) {
    return Optional.ofNullable(values.get(path));
  }

  /// Whether a fact with a value lies below `path`.
  boolean anyBelow(String path) {
    return values.entrySet().stream()
        .anyMatch(e -> e.getKey().startsWith(path + ".") && !e.getValue().isEmpty());
  }
}
