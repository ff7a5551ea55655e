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

/// Where rollouts, their nodes' orders and the nodes' answers are stored. The package's description
/// says who writes each.
public final class RolloutKeys {
  public static final Bucket ROLLOUTS = new Bucket.Lasting("update-rollouts");

  /// Beats: a node that has none is unreachable.
  public static final Bucket STATUS = new Bucket.Expiring("update-status", Duration.ofMinutes(2));

  public static final Bucket REPORTS = new Bucket.Lasting("update-reports");

  /// What each node says of itself, also while it is away.
  public static final Bucket NODES = new Bucket.Lasting("update-nodes");

  public static final Prefix DRIVERS = new Prefix("driver.");

  /// First words of other keys in the same bucket.
  private static final Set<String> RESERVED = Set.of("act", "desired", "driver");

  private static final Pattern EPOCH = Pattern.compile("[1-9][0-9]{0,17}");

  private RolloutKeys() {}

  /// What a driver wants of a node.
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

  /// The rollout that a node belongs to just now.
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

  /// The epoch that a key of [#epochs] is about; nothing if it is not one of ours.
  public static OptionalLong epochOf(RolloutId id, Key key) {
    String number = key.value().substring(epochs(id).value().length());
    return EPOCH.matcher(number).matches()
        ? OptionalLong.of(Long.parseLong(number))
        : OptionalLong.empty();
  }

  public static Key driver(RolloutId id) {
    return new Key(DRIVERS.value() + id);
  }

  /// The rollout that a driver's key is about; nothing if it is not one of ours.
  public static Optional<RolloutId> rolloutOf(Key driver) {
    String id = driver.value().substring(DRIVERS.value().length());
    return RolloutId.isValid(id) ? Optional.of(new RolloutId(id)) : Optional.empty();
  }

  private static Key of(RolloutId id, String rest) {
    if (RESERVED.contains(id.value())) {
      throw new IllegalArgumentException("no rollout can be called " + id);
    }
    return new Key(id + "." + rest);
  }
}
