package keyfleet.wire;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import keyfleet.rollout.Component;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.RolloutId;
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.Prefix;

/// The buckets and keys of rollouts, of the nodes' desired states and of their reports. The package
/// description lists who writes each.
public final class RolloutKeys {
  public static final Bucket ROLLOUTS = new Bucket.Lasting("update-rollouts");

  /// Heartbeats of nodes: a node without one is unreachable.
  public static final Bucket STATUS = new Bucket.Expiring("update-status", Duration.ofMinutes(2));

  public static final Bucket REPORTS = new Bucket.Lasting("update-reports");

  /// The profile of each node, which stays while the node is offline.
  public static final Bucket NODES = new Bucket.Lasting("update-nodes");

  public static final Prefix DRIVERS = new Prefix("driver.");

  /// Other keys in the same bucket begin with these words, so rollouts cannot have them as names.
  private static final Set<String> RESERVED = Set.of("act", "desired", "driver");

  private static final Pattern EPOCH = Pattern.compile("[1-9][0-9]{0,17}");

  private RolloutKeys() {}

  /// The desired state of a node.
  public static Key desired(Component component, NodeId node) {
    return new Key("desired." + component + "." + node);
  }

  /// A node's own key in `STATUS`, `REPORTS` and `NODES`.
  public static Key ofNode(Component component, NodeId node) {
    return new Key(component + "." + node);
  }

  public static Prefix ofNodes(Component component) {
    return new Prefix(component + ".");
  }

  /// The rollout that a node belongs to.
  public static Key owner(Component component, NodeId node) {
    return new Key("act." + component + "." + node);
  }

  public static Key spec(RolloutId id) {
    return of(id, "spec");
  }

  public static Key control(RolloutId id) {
    return of(id, "ctl");
  }

  public static Prefix epochs(RolloutId id) {
    return Prefix.under(of(id, "e"));
  }

  public static Key epoch(RolloutId id, long epoch) {
    return of(id, "e." + epoch);
  }

  /// The epoch in a key of [#epochs]; empty for keys of another form.
  public static OptionalLong epochOf(RolloutId id, Key key) {
    String number = key.value().substring(epochs(id).value().length());
    return EPOCH.matcher(number).matches()
        ? OptionalLong.of(Long.parseLong(number))
        : OptionalLong.empty();
  }

  public static Key driver(RolloutId id) {
    return new Key(DRIVERS.value() + id);
  }

  /// The rollout in a driver's key; empty for keys of another form.
  public static Optional<RolloutId> rolloutOf(Key driver) {
    String id = driver.value().substring(DRIVERS.value().length());
    return RolloutId.isValid(id) ? Optional.of(new RolloutId(id)) : Optional.empty();
  }

  private static Key of(RolloutId id, String rest) {
    if (RESERVED.contains(id.value())) {
      throw new IllegalArgumentException(
          "a rollout cannot be named " + id + "; the name is reserved");
    }
    return new Key(id + "." + rest);
  }
}
