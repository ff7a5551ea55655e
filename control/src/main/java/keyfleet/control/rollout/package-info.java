/// Drives rollouts, and executes operators' commands on them.
///
/// Start reading at: [RolloutLoop] (one tick over all rollouts), [RolloutDriver] (one rollout),
/// [RolloutOperations] (start, pause, resume, abort, roll back, retry, forget).
///
/// [RolloutDriver] claims an epoch, looks at the nodes ([NodeObserver]), commits what
/// [keyfleet.rollout] decides ([RolloutStore]), and only then tells the nodes
/// ([DesiredStateWriter]). Nodes obey only the epoch in the control record; a driver's memory only
/// saves reads. The stored documents are in [keyfleet.wire].
@NullMarked
package keyfleet.control.rollout;

import org.jspecify.annotations.NullMarked;
