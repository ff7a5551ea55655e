package keyfleet.control.rollout;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
import keyfleet.control.rollout.RolloutStore.StoredRollout;
import keyfleet.rollout.Component;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.controller.Assignment;
import keyfleet.rollout.controller.Rollout;
import keyfleet.store.ConditionalWrite;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Value;
import keyfleet.store.WriteOutcome.Applied;
import keyfleet.wire.DesiredDocument;
import keyfleet.wire.NodeOwner;
import keyfleet.wire.RolloutKeys;
import org.jspecify.annotations.Nullable;

/// Tells the nodes of one rollout what a committed decision wants of them (R11), by their `desired`
/// keys. What has been told is remembered, so that a tick without news writes nothing.
final class DesiredStateWriter {
  /// How many nodes one tick tells; the next tick goes on.
  static final int MAX_WRITES = 1_000;

  private record WrittenTask(Assignment assignment, DriverClaim driverClaim) {}

  /// What a round of telling came to. `occupied` nodes belong to another rollout; `left` are still
  /// to be told; of the `unreadable` what stands under a key of theirs is not understood.
  record WriteReport(List<NodeId> occupied, int remaining, List<NodeId> unreadable) {
    WriteReport {
      occupied = List.copyOf(occupied);
      unreadable = List.copyOf(unreadable);
    }

    Optional<String> problem() {
      return unreadable.isEmpty()
          ? Optional.empty()
          : Optional.of(
              "what nodes were told, or whose they are, cannot be read; delete the keys: "
                  + unreadable.stream().map(NodeId::value).collect(Collectors.joining(", ")));
    }
  }

  private enum Ownership {
    OURS,
    ANOTHER_ROLLOUTS,
    /// A newer driver of the same rollout has said so. The node stays the rollout's.
    NEWER_LEADS,
    UNCONFIRMED,
    /// Nobody is told anything over words that are not understood: they may be a later lead's.
    UNREADABLE
  }

  private final Kv kv;
  private final Failpoints failpoints;
  private final RolloutStore store;
  private final Map<NodeId, WrittenTask> written = new HashMap<>();
  private final Set<NodeClaim> claims = new HashSet<>();

  private record NodeClaim(NodeId node, DriverClaim driverClaim) {}

  DesiredStateWriter(Kv kv, Failpoints failpoints, RolloutStore store) {
    this.kv = kv;
    this.failpoints = failpoints;
    this.store = store;
  }

  /// `stored` is committed, and its lead is the one to speak for.
  WriteReport writeDesired(StoredRollout storedRollout) {
    Map<Ownership, List<NodeId>> outcomes = new EnumMap<>(Ownership.class);
    int tried = 0;
    for (Map.Entry<NodeId, Assignment> order :
        Rollout.assignments(storedRollout.rollout()).entrySet()) {
      WrittenTask wanted = new WrittenTask(order.getValue(), lead(storedRollout));
      if (!wanted.equals(written.get(order.getKey()))) {
        tried++;
        Ownership outcome =
            tried <= MAX_WRITES
                ? tryWriteDesired(order.getKey(), wanted, storedRollout)
                : Ownership.UNCONFIRMED;
        outcomes.computeIfAbsent(outcome, _ -> new ArrayList<>()).add(order.getKey());
      }
    }
    List<NodeId> ours = outcomes.getOrDefault(Ownership.OURS, List.of());
    List<NodeId> occupied = outcomes.getOrDefault(Ownership.ANOTHER_ROLLOUTS, List.of());
    return new WriteReport(
        occupied,
        tried - ours.size() - occupied.size(),
        outcomes.getOrDefault(Ownership.UNREADABLE, List.of()));
  }

  /// One node whose keys are not understood does not keep the others from being told.
  private Ownership tryWriteDesired(NodeId node, WrittenTask wanted, StoredRollout storedRollout) {
    try {
      return writeDesired(node, wanted, storedRollout);
    } catch (MalformedValueException e) {
      return Ownership.UNREADABLE;
    }
  }

  /// A store that went back has lost what it was told, too.
  void forget() {
    written.clear();
    claims.clear();
  }

  /// The key is read before its owner is asked for. If the node changes hands in between, the key
  /// has changed too, and the write fails.
  private Ownership writeDesired(NodeId node, WrittenTask wanted, StoredRollout storedRollout) {
    Key key = RolloutKeys.desired(component(storedRollout), node);
    Optional<Entry> present = read(Failpoint.DESIRED_READ, key);
    if (present.map(it -> !read(it).task().rollout().equals(storedRollout.id())).orElse(false)) {
      claims.remove(
          new NodeClaim(node, wanted.driverClaim())); // another rollout may have taken it since
    }
    Ownership ownership = claim(node, storedRollout);
    if (ownership != Ownership.OURS) {
      return ownership;
    }
    DesiredState desiredState =
        wanted.assignment().toDesiredState(wanted.driverClaim(), storedRollout.revision().number());
    boolean isCurrent = present.map(it -> isSameOrder(read(it), desiredState)).orElse(false);
    boolean isReplaceable = present.map(it -> desiredState.canReplace(read(it))).orElse(true);
    if (isCurrent || (isReplaceable && writeKey(key, desiredState, present.orElse(null)))) {
      written.put(node, wanted);
      return Ownership.OURS;
    }
    return Ownership.UNCONFIRMED;
  }

  private static DesiredState read(Entry entry) {
    return DesiredDocument.parse(entry.value());
  }

  private boolean writeKey(Key key, DesiredState desiredState, @Nullable Entry present) {
    return write(Failpoint.DESIRED_WRITE, key, DesiredDocument.toValue(desiredState), present);
  }

  private static DriverClaim lead(StoredRollout storedRollout) {
    return storedRollout.rollout().run().claim();
  }

  private static Component component(StoredRollout storedRollout) {
    return storedRollout.rollout().run().spec().component();
  }

  /// R4, I12: a node is told nothing before its owner key says that it is ours, under this lead.
  private Ownership claim(NodeId node, StoredRollout storedRollout) {
    NodeClaim claim = new NodeClaim(node, lead(storedRollout));
    if (claims.contains(claim)) {
      return Ownership.OURS;
    }
    Key key = RolloutKeys.owner(component(storedRollout), node);
    Optional<Entry> present = read(Failpoint.OWNER_READ, key);
    Ownership ownership =
        present
            .map(it -> ownershipOf(NodeOwner.parse(it.value()), storedRollout))
            .orElse(ownershipOfUnclaimed(storedRollout));
    Value ours = new NodeOwner(storedRollout.id(), claim.driverClaim()).toValue();
    if (ownership == Ownership.UNCONFIRMED
        && write(Failpoint.OWNER_WRITE, key, ours, present.orElse(null))) {
      ownership = Ownership.OURS;
    }
    if (ownership == Ownership.OURS) {
      claims.add(claim);
    }
    return ownership;
  }

  /// One that has ended takes nobody.
  private static Ownership ownershipOfUnclaimed(StoredRollout storedRollout) {
    return Rollout.isEnded(storedRollout.rollout())
        ? Ownership.ANOTHER_ROLLOUTS
        : Ownership.UNCONFIRMED;
  }

  /// UNSURE is what can be claimed. A rollout that has ended holds nobody; ours under a higher lead
  /// is a newer driver's.
  private Ownership ownershipOf(NodeOwner nodeOwner, StoredRollout storedRollout) {
    if (nodeOwner.rollout().equals(storedRollout.id())) {
      boolean isEnded = Rollout.isEnded(storedRollout.rollout());
      if (nodeOwner.driverClaim().epoch() > lead(storedRollout).epoch()) {
        return isEnded ? Ownership.ANOTHER_ROLLOUTS : Ownership.NEWER_LEADS;
      }
      boolean isClaimed = isEnded || nodeOwner.driverClaim().equals(lead(storedRollout));
      return isClaimed ? Ownership.OURS : Ownership.UNCONFIRMED;
    }
    boolean isHeld =
        store.read(nodeOwner.rollout()).map(it -> !Rollout.isEnded(it.rollout())).orElse(false);
    return isHeld ? Ownership.ANOTHER_ROLLOUTS : ownershipOfUnclaimed(storedRollout);
  }

  /// Which decision it came from does not matter to the node.
  private static boolean isSameOrder(DesiredState present, DesiredState wanted) {
    return present.task().equals(wanted.task())
        && present.goal() == wanted.goal()
        && present.claim().equals(wanted.claim());
  }

  private Optional<Entry> read(Failpoint point, Key key) {
    return failpoints.at(point, () -> kv.get(RolloutKeys.ROLLOUTS, key));
  }

  private boolean write(Failpoint point, Key key, Value value, @Nullable Entry present) {
    ConditionalWrite conditionalWrite =
        present == null
            ? new ConditionalWrite.Create(RolloutKeys.ROLLOUTS, key, value)
            : new ConditionalWrite.Update(RolloutKeys.ROLLOUTS, key, value, present.revision());
    return failpoints.at(point, () -> conditionalWrite.sendUntilKnown(kv, RolloutStore.MAX_TRIES))
        instanceof Applied;
  }
}
