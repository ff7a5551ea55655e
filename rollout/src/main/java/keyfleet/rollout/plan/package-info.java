/// Preflight and plan: which nodes are eligible for a release, and in which batches they get it.
///
/// ## Preflight
///
/// The first row that applies to a node decides.
///
/// | a node that                                | result                                    |
/// |--------------------------------------------|-------------------------------------------|
/// | the target does not match                  | is not part of the rollout                |
/// | is held back                               | is excluded                               |
/// | has an unreadable status                   | refuses the rollout                       |
/// | lacks a fact of the target                 | is excluded                               |
/// | is offline                                 | is checked when it returns                |
/// | has rolled the release back                | is excluded, except in a later attempt    |
/// | is degraded, unless those are included     | is excluded                               |
/// | has another platform than the release      | is excluded                               |
/// | runs a version that may not be updated     | is excluded                               |
/// | none of these                              | is eligible                               |
///
/// The rollout is refused if no node is eligible, and if the protocol of an eligible node is too
/// old for the release. Each node is checked by the same rules again when it is about to start,
/// because it may have changed or been away since. A node that fails then is excluded alone.
///
/// ## Hashed values
///
/// The hashed bytes are lists of items as described in the package [keyfleet.rollout]:
///
/// | format                 | items after it                                                      |
/// |------------------------|---------------------------------------------------------------------|
/// | `keyfleet-order-1`     | seed, node id                                                       |
/// | `keyfleet-inventory-1` | each node by id: id, presence, report, facts (a count, then paths   |
/// |                        | with their values)                                                  |
/// | `keyfleet-plan-1`      | manifest digest, target, canaries (list), batches (a count, then    |
/// |                        | lists), offline (list), excluded with reasons (list); if failure    |
/// |                        | domains are limited, their fact and the number for each batch (4)   |
///
/// Start reading at: [EligibilityRules], [Preflight], [RolloutPlan].
@NullMarked
package keyfleet.rollout.plan;

import org.jspecify.annotations.NullMarked;
