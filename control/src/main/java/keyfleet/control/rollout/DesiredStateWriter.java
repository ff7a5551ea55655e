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
import keyfleet.rollout.controller.NodeAssignment;
import keyfleet.rollout.controller.Rollout;
import keyfleet.store.ConditionalWrite;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Value;
import keyfleet.store.WriteOutcome.Applied;
import keyfleet.wire.DesiredStateDocument;
import keyfleet.wire.NodeOwner;
import keyfleet.wire.RolloutKeys;
import org.jspecify.annotations.Nullable;

/// Writes the `desired` keys of a rollout's nodes from a committed decision (R11). It remembers
/// what it has written, so that a tick in which nothing changed writes nothing.
final class DesiredStateWriter {
  /// The most nodes that one tick writes; the next tick continues.
  static final int MAX_WRITES = 1_000;

  private record WrittenTask(NodeAssignment nodeAssignment, DriverClaim driverClaim) {}

  /// The result of one call.
  ///
  /// @param occupied nodes that belong to another rollout
  /// @param remaining how many nodes are still to be written
  /// @param unreadable nodes with a malformed key
  record WriteReport(List<NodeId> occupied, int remaining, List<NodeId> unreadable) {
    WriteReport {
      occupied = List.copyOf(occupied);
      unreadable = List.copyOf(unreadable);
    }

    Optional<String> problem() {
      return unreadable.isEmpty()
          ? Optional.empty()
          : Optional.of(
              "the desired or act key of these nodes is malformed; check and delete it: "
                  + unreadable.stream().map(NodeId::value).collect(Collectors.joining(", ")));
    }
  }

  private enum Ownership {
    THIS_DRIVER,
    OTHER_ROLLOUT,
    /// A newer driver of the same rollout has claimed the node.
    NEWER_DRIVER,
    /// Not owned by another rollout, and not yet by this one.
    UNCONFIRMED,
    /// A malformed key is not overwritten: a later driver may have written it.
    UNREADABLE
  }

  private final Kv kv;
  private final Failpoints failpoints;
  private final RolloutStore store;
  private final Map<NodeId, WrittenTask> lastWritten = new HashMap<>();
  private final Set<NodeClaim> claims = new HashSet<>();

  private record NodeClaim(NodeId node, DriverClaim driverClaim) {}

  DesiredStateWriter(Kv kv, Failpoints failpoints, RolloutStore store) {
    this.kv = kv;
    this.failpoints = failpoints;
    this.store = store;
  }

  /// `stored` must be committed under this driver's claim.
  WriteReport writeDesired(StoredRollout stored) {
    Map<Ownership, List<NodeId>> outcomes = new EnumMap<>(Ownership.class);
    int tried = 0;
    for (Map.Entry<NodeId, NodeAssignment> assigned :
        Rollout.assignments(stored.rollout()).entrySet()) {
      WrittenTask wanted = new WrittenTask(assigned.getValue(), claimOf(stored));
      if (!wanted.equals(lastWritten.get(assigned.getKey()))) {
        tried++;
        Ownership outcome =
            tried <= MAX_WRITES
                ? tryWriteDesired(assigned.getKey(), wanted, stored)
                : Ownership.UNCONFIRMED;
        outcomes.computeIfAbsent(outcome, _ -> new ArrayList<>()).add(assigned.getKey());
      }
    }
    List<NodeId> ours = outcomes.getOrDefault(Ownership.THIS_DRIVER, List.of());
    List<NodeId> occupied = outcomes.getOrDefault(Ownership.OTHER_ROLLOUT, List.of());
    return new WriteReport(
        occupied,
        tried - ours.size() - occupied.size(),
        outcomes.getOrDefault(Ownership.UNREADABLE, List.of()));
  }

  /// A node with a malformed key does not stop the others.
  private Ownership tryWriteDesired(NodeId node, WrittenTask wanted, StoredRollout stored) {
    try {
      return writeDesired(node, wanted, stored);
    } catch (MalformedValueException e) {
      return Ownership.UNREADABLE;
    }
  }

  /// A store that lost decisions may also have lost these keys.
  void forget() {
    lastWritten.clear();
    claims.clear();
  }

  /// Reads the key before the owner. If the owner changes in between, the key changes too, and the
  /// write fails.
  private Ownership writeDesired(NodeId node, WrittenTask wanted, StoredRollout stored) {
    Key key = RolloutKeys.desired(component(stored), node);
    Optional<Entry> present = read(Failpoint.DESIRED_READ, key);
    if (present.map(it -> !read(it).task().rollout().equals(stored.id())).orElse(false)) {
      // Another rollout may have taken the node since.
      claims.remove(new NodeClaim(node, wanted.driverClaim()));
    }
    Ownership ownership = claim(node, stored);
    if (ownership != Ownership.THIS_DRIVER) {
      return ownership;
    }
    DesiredState desiredState =
        wanted.nodeAssignment().toDesiredState(wanted.driverClaim(), stored.revision().number());
    boolean isCurrent = present.map(it -> isSameCommand(read(it), desiredState)).orElse(false);
    boolean isReplaceable = present.map(it -> desiredState.canReplace(read(it))).orElse(true);
    if (isCurrent || (isReplaceable && writeKey(key, desiredState, present.orElse(null)))) {
      lastWritten.put(node, wanted);
      return Ownership.THIS_DRIVER;
    }
    return Ownership.UNCONFIRMED;
  }

  private static DesiredState read(Entry entry) {
    return DesiredStateDocument.parse(entry.value());
  }

  private boolean writeKey(Key key, DesiredState desiredState, @Nullable Entry present) {
    return write(Failpoint.DESIRED_WRITE, key, DesiredStateDocument.toValue(desiredState), present);
  }

  private static DriverClaim claimOf(StoredRollout stored) {
    return stored.rollout().run().claim();
  }

  private static Component component(StoredRollout stored) {
    return stored.rollout().run().spec().component();
  }

  /// R4, I12: a node's desired state is written only after its owner key names this rollout and
  /// this claim.
  private Ownership claim(NodeId node, StoredRollout stored) {
    NodeClaim claim = new NodeClaim(node, claimOf(stored));
    if (claims.contains(claim)) {
      return Ownership.THIS_DRIVER;
    }
    Key key = RolloutKeys.owner(component(stored), node);
    Optional<Entry> present = read(Failpoint.OWNER_READ, key);
    Ownership ownership =
        present
            .map(it -> ownershipOf(NodeOwner.parse(it.value()), stored))
            .orElse(ownershipOfUnclaimed(stored));
    Value ours = new NodeOwner(stored.id(), claim.driverClaim()).toValue();
    if (ownership == Ownership.UNCONFIRMED
        && write(Failpoint.OWNER_WRITE, key, ours, present.orElse(null))) {
      ownership = Ownership.THIS_DRIVER;
    }
    if (ownership == Ownership.THIS_DRIVER) {
      claims.add(claim);
    }
    return ownership;
  }

  /// A rollout that has ended takes no more nodes.
  private static Ownership ownershipOfUnclaimed(StoredRollout stored) {
    return Rollout.isEnded(stored.rollout()) ? Ownership.OTHER_ROLLOUT : Ownership.UNCONFIRMED;
  }

  /// UNCONFIRMED nodes can be claimed. A rollout that has ended keeps no node. If the owner is this
  /// rollout under a higher epoch, a newer driver has the node.
  private Ownership ownershipOf(NodeOwner owner, StoredRollout stored) {
    if (owner.rollout().equals(stored.id())) {
      boolean isEnded = Rollout.isEnded(stored.rollout());
      if (owner.claim().epoch() > claimOf(stored).epoch()) {
        return isEnded ? Ownership.OTHER_ROLLOUT : Ownership.NEWER_DRIVER;
      }
      boolean isClaimed = isEnded || owner.claim().equals(claimOf(stored));
      return isClaimed ? Ownership.THIS_DRIVER : Ownership.UNCONFIRMED;
    }
    boolean isHeld =
        store.read(owner.rollout()).map(it -> !Rollout.isEnded(it.rollout())).orElse(false);
    return isHeld ? Ownership.OTHER_ROLLOUT : ownershipOfUnclaimed(stored);
  }

  /// The decision number makes no difference to the node.
  private static boolean isSameCommand(DesiredState present, DesiredState wanted) {
    return present.task().equals(wanted.task())
        && present.goal() == wanted.goal()
        && present.claim().equals(wanted.claim());
  }

  private Optional<Entry> read(Failpoint point, Key key) {
    return failpoints.at(point, () -> kv.get(RolloutKeys.ROLLOUTS, key));
  }

  private boolean write(Failpoint point, Key key, Value value, @Nullable Entry present) {
    ConditionalWrite write =
        present == null
            ? new ConditionalWrite.Create(RolloutKeys.ROLLOUTS, key, value)
            : new ConditionalWrite.Update(RolloutKeys.ROLLOUTS, key, value, present.revision());
    return failpoints.at(point, () -> write.sendUntilKnown(kv, RolloutStore.MAX_TRIES))
        instanceof Applied;
  }
}
