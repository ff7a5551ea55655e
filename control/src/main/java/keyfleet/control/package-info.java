/// Failpoints: the places where a test can stop a control loop. There is one for each effect on a
/// store or a provider.
///
/// Start reading at: [Failpoint], [Failpoints]. The loops are in the sub-packages:
///
/// - [keyfleet.control.rotation]: drives the rotations of a keyring;
/// - [keyfleet.control.rewrap]: rewraps the records of its collections;
/// - [keyfleet.control.audit]: audits each change of a keystore;
/// - [keyfleet.control.rollout]: drives rollouts.
///
/// Each loop is a `tick()` over ports: read, decide with a pure module (`keyring` or `rollout`),
/// write with compare-and-set, then act. One thread calls `tick()`. A loop may crash after any
/// effect; the next tick, in this process or another, continues from what is stored.
///
/// `rotation` depends on `rewrap` and `audit`; `rollout` stands alone; all four depend on this
/// package.
@NullMarked
package keyfleet.control;

import org.jspecify.annotations.NullMarked;
