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
  static final int MAX_COMMANDS = 1_000;

  private record WrittenTask(Assignment assignment, DriverClaim driverClaim) {}

  /// What a round of telling came to. `occupied` nodes belong to another rollout; `left` are still
  /// to be told; of the `unreadable` what stands under a key of theirs is not understood.
  record WriteReport(List<NodeId> occupied, int left, List<NodeId> unreadable) {
    WriteReport {
      occupied = List.copyOf(occupied);
      unreadable = List.copyOf(unreadable);
    }

    Optional<String> trouble() {
      return unreadable.isEmpty()
          ? Optional.empty()
          : Optional.of(
              "what nodes were told, or whose they are, cannot be read; delete the keys: "
                  + unreadable.stream().map(NodeId::value).collect(Collectors.joining(", ")));
    }
  }

  private enum Ownership {
    OURS,
    ANOTHERS,
    /// A newer driver of the same rollout has said so. The node stays the rollout's.
    NEWER_LEADS,
    UNSURE,
    /// Nobody is told anything over words that are not understood: they may be a later lead's.
    UNREADABLE
  }

  private final Kv kv;
  private final Failpoints failpoints;
  private final RolloutStore shelf;
  private final Map<NodeId, WrittenTask> told = new HashMap<>();
  private final Set<NodeClaim> owned = new HashSet<>();

  private record NodeClaim(NodeId node, DriverClaim driverClaim) {}

  DesiredStateWriter(Kv kv, Failpoints failpoints, RolloutStore shelf) {
    this.kv = kv;
    this.failpoints = failpoints;
    this.shelf = shelf;
  }

  /// `stored` is committed, and its lead is the one to speak for.
  WriteReport tell(StoredRollout stored) {
    Map<Ownership, List<NodeId>> outcomes = new EnumMap<>(Ownership.class);
    int tried = 0;
    for (Map.Entry<NodeId, Assignment> order : Rollout.assignments(stored.rollout()).entrySet()) {
      WrittenTask wanted = new WrittenTask(order.getValue(), lead(stored));
      if (!wanted.equals(told.get(order.getKey()))) {
        tried++;
        Ownership outcome =
            tried <= MAX_COMMANDS ? tellOne(order.getKey(), wanted, stored) : Ownership.UNSURE;
        outcomes.computeIfAbsent(outcome, _ -> new ArrayList<>()).add(order.getKey());
      }
    }
    List<NodeId> ours = outcomes.getOrDefault(Ownership.OURS, List.of());
    List<NodeId> occupied = outcomes.getOrDefault(Ownership.ANOTHERS, List.of());
    return new WriteReport(
        occupied,
        tried - ours.size() - occupied.size(),
        outcomes.getOrDefault(Ownership.UNREADABLE, List.of()));
  }

  /// One node whose keys are not understood does not keep the others from being told.
  private Ownership tellOne(NodeId node, WrittenTask wanted, StoredRollout stored) {
    try {
      return tell(node, wanted, stored);
    } catch (MalformedValueException e) {
      return Ownership.UNREADABLE;
    }
  }

  /// A store that went back has lost what it was told, too.
  void forget() {
    told.clear();
    owned.clear();
  }

  /// The key is read before its owner is asked for. If the node changes hands in between, the key
  /// has changed too, and the write fails.
  private Ownership tell(NodeId node, WrittenTask wanted, StoredRollout stored) {
    Key key = RolloutKeys.desired(component(stored), node);
    Optional<Entry> present = read(Failpoint.DESIRED_READ, key);
    if (present.map(it -> !read(it).task().rollout().equals(stored.id())).orElse(false)) {
      owned.remove(
          new NodeClaim(node, wanted.driverClaim())); // another rollout may have taken it since
    }
    Ownership ownership = own(node, stored);
    if (ownership != Ownership.OURS) {
      return ownership;
    }
    DesiredState desiredState =
        wanted.assignment().toDesiredState(wanted.driverClaim(), stored.revision().number());
    boolean stands = present.map(it -> says(read(it), desiredState)).orElse(false);
    boolean free = present.map(it -> desiredState.canReplace(read(it))).orElse(true);
    if (stands || (free && send(key, desiredState, present.orElse(null)))) {
      told.put(node, wanted);
      return Ownership.OURS;
    }
    return Ownership.UNSURE;
  }

  private static DesiredState read(Entry entry) {
    return DesiredDocument.read(entry.value());
  }

  private boolean send(Key key, DesiredState desiredState, @Nullable Entry present) {
    return write(Failpoint.DESIRED_WRITE, key, DesiredDocument.of(desiredState), present);
  }

  private static DriverClaim lead(StoredRollout stored) {
    return stored.rollout().run().claim();
  }

  private static Component component(StoredRollout stored) {
    return stored.rollout().run().spec().component();
  }

  /// R4, I12: a node is told nothing before its owner key says that it is ours, under this lead.
  private Ownership own(NodeId node, StoredRollout stored) {
    NodeClaim claim = new NodeClaim(node, lead(stored));
    if (owned.contains(claim)) {
      return Ownership.OURS;
    }
    Key key = RolloutKeys.owner(component(stored), node);
    Optional<Entry> present = read(Failpoint.OWNER_READ, key);
    Ownership ownership =
        present.map(it -> judged(NodeOwner.read(it.value()), stored)).orElse(unclaimed(stored));
    Value ours = new NodeOwner(stored.id(), claim.driverClaim()).toValue();
    if (ownership == Ownership.UNSURE
        && write(Failpoint.OWNER_WRITE, key, ours, present.orElse(null))) {
      ownership = Ownership.OURS;
    }
    if (ownership == Ownership.OURS) {
      owned.add(claim);
    }
    return ownership;
  }

  /// One that has ended takes nobody.
  private static Ownership unclaimed(StoredRollout stored) {
    return Rollout.isEnded(stored.rollout()) ? Ownership.ANOTHERS : Ownership.UNSURE;
  }

  /// UNSURE is what can be claimed. A rollout that has ended holds nobody; ours under a higher lead
  /// is a newer driver's.
  private Ownership judged(NodeOwner owner, StoredRollout stored) {
    if (owner.rollout().equals(stored.id())) {
      boolean ended = Rollout.isEnded(stored.rollout());
      if (owner.driverClaim().epoch() > lead(stored).epoch()) {
        return ended ? Ownership.ANOTHERS : Ownership.NEWER_LEADS;
      }
      boolean claimed = ended || owner.driverClaim().equals(lead(stored));
      return claimed ? Ownership.OURS : Ownership.UNSURE;
    }
    boolean held =
        shelf.read(owner.rollout()).map(it -> !Rollout.isEnded(it.rollout())).orElse(false);
    return held ? Ownership.ANOTHERS : unclaimed(stored);
  }

  /// Which decision it came from does not matter to the node.
  private static boolean says(DesiredState there, DesiredState wanted) {
    return there.task().equals(wanted.task())
        && there.goal() == wanted.goal()
        && there.claim().equals(wanted.claim());
  }

  private Optional<Entry> read(Failpoint point, Key key) {
    return failpoints.at(point, () -> kv.get(RolloutKeys.ROLLOUTS, key));
  }

  private boolean write(Failpoint point, Key key, Value value, @Nullable Entry present) {
    ConditionalWrite conditionalWrite =
        present == null
            ? new ConditionalWrite.Create(RolloutKeys.ROLLOUTS, key, value)
            : new ConditionalWrite.Update(RolloutKeys.ROLLOUTS, key, value, present.revision());
    return failpoints.at(point, () -> conditionalWrite.sendUntilKnown(kv, RolloutStore.TRIES))
        instanceof Applied;
  }
}
