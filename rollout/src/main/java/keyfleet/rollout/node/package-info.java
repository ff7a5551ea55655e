/// The state machine of a node's watchdog: what the node does with an order.
///
/// [Node] is the state of a node with respect to its task. The watchdog passes it events, writes
/// the result to its journal, and performs what [Node#nextAction] derives from it.
///
/// In the diagram an order is named by its goal, or OTHER_ROLLOUT if it comes from another rollout.
/// OVERDUE stands for any event after the confirm deadline: the deadline is checked before the
/// event (I4).
///
/// ```
/// Idle        == STAGED, APPLIED ==========> Preparing    a task begins
/// Idle        == ROLLED_BACK, REVERTED ====> RolledBack   the rollout was aborted before its first order arrived
/// Preparing   == Fetched ==================> Staged       the rules accept the release
/// Preparing   == Fetched, FetchFailed =====> RollingBack  the rules refuse it, or it cannot be fetched
/// Preparing   == Fetched, FetchFailed =====> RolledBack   the slot is kept, so nothing is discarded
/// Preparing   == ROLLED_BACK, REVERTED ====> RollingBack  the download is discarded
/// Preparing   == ROLLED_BACK, REVERTED ====> RolledBack
/// Preparing   == OTHER_ROLLOUT ============> RollingBack  no driver would revoke the old order (R4)
/// Preparing   == OTHER_ROLLOUT ============> RolledBack
/// Staged      == APPLIED ==================> Applying     the deadline is set
/// Staged      == STAGED, APPLIED ==========> Preparing    a later attempt
/// Staged      == ROLLED_BACK, REVERTED ====> RollingBack  the staged release is discarded
/// Staged      == ROLLED_BACK, REVERTED ====> RolledBack
/// Staged      == OTHER_ROLLOUT ============> RollingBack  the staged release is discarded
/// Staged      == OTHER_ROLLOUT ============> RolledBack
/// Applying    == Swapped ==================> Soaking
/// Applying    == RulesChecked =============> RollingBack  the rules refuse the release now
/// Applying    == ROLLED_BACK, REVERTED ====> RollingBack
/// Applying    == OVERDUE ==================> RollingBack
/// Soaking     == Probed ===================> Soaked       ready for the whole soak, without a break
/// Soaking     == Probed ===================> RollingBack  the release is bad
/// Soaking     == ROLLED_BACK, REVERTED ====> RollingBack
/// Soaking     == OVERDUE ==================> RollingBack
/// Soaked      == CONFIRMED ================> Confirmed
/// Soaked      == Probed ===================> RollingBack  the release went bad late
/// Soaked      == ROLLED_BACK, REVERTED ====> RollingBack
/// Soaked      == OVERDUE ==================> RollingBack
/// RollingBack == Undone ===================> RolledBack
/// RollingBack == Undone ===================> Reverted     the release had been confirmed
/// Confirmed   == REVERTED =================> RollingBack
/// RolledBack  == STAGED, APPLIED ==========> Preparing    a later attempt
/// ```
///
/// In Confirmed, RolledBack and Reverted another rollout may begin as in Idle. A rollout that the
/// node has already finished continues where it ended. A test compares these lines with the
/// transitions of random walks within one rollout.
///
/// Start reading at: [Node], [NodeEvent], [NodeTransitions], [SoakHealth].
@NullMarked
package keyfleet.rollout.node;

import org.jspecify.annotations.NullMarked;
