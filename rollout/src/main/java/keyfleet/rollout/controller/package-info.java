/// The state machine of a driver: what follows in a rollout, and what each node should do.
///
/// [Rollout] is the state of a rollout. A driver passes it an observation, stores the result with
/// compare-and-set, and only then writes for each node what [Rollout#assignment] derives from it.
/// [NodeProgress] is how far a node has got; nodes that took the usual path are not listed, which
/// keeps the record of ten thousand nodes small. A rollout stores no time. Only its driver measures
/// time, in a [DriverView] that ends with the driver.
///
/// ```
/// Created   --Claimed------------> Rolling     its first driver
/// Created   --PauseRequested-----> Paused
/// Created   --AbortRequested-----> Aborted     no node has received an order
/// Created   --RollbackRequested--> RolledBack
/// Created   --DecisionsLost------> Paused      the store has lost decisions (R24)
/// Rolling   --DecisionsLost------> Paused
/// Rolling   --Observed-----------> Paused      a node could not get the artifact (R14)
/// Rolling   --Observed-----------> Aborting    too many nodes failed, or one canary
/// Rolling   --Observed-----------> Completed
/// Rolling   --PauseRequested-----> Paused
/// Rolling   --AbortRequested-----> Aborting
/// Rolling   --AbortRequested-----> Aborted     no node has to go back
/// Rolling   --RollbackRequested--> Aborting
/// Rolling   --RollbackRequested--> RolledBack  no node has to go back
/// Paused    --ResumeRequested----> Rolling
/// Paused    --Observed-----------> Aborting
/// Paused    --AbortRequested-----> Aborting
/// Paused    --AbortRequested-----> Aborted
/// Paused    --RollbackRequested--> Aborting
/// Paused    --RollbackRequested--> RolledBack
/// Aborting  --Observed-----------> Aborted     every node that was ordered forward has gone back
/// Aborting  --Observed-----------> RolledBack  and the confirmed nodes too
/// Aborting  --RollbackRequested--> RolledBack
/// Aborted   --RollbackRequested--> Aborting    to revert the confirmed nodes
/// Aborted   --RollbackRequested--> RolledBack
/// Completed --RollbackRequested--> Aborting
/// Completed --RollbackRequested--> RolledBack
/// ```
///
/// The effects drawn for an observation also follow from the passing of time, from a node that an
/// operator forgets or another rollout owns, and from the claim of a new driver of a stopping
/// rollout. A test compares these lines with the transitions of random walks.
///
/// | a node of the plan                          | if it is present             | if it is silent       |
/// |---------------------------------------------|------------------------------|-----------------------|
/// | in the current batch, or left behind by one | PREPARING, if the budget allows | unreachable        |
/// | PREPARING, and reports STAGED               | APPLYING, if the budget allows  | unreachable        |
/// | APPLYING, and reports SOAKED                | CONFIRMING                   | CONFIRMING            |
/// | went back: unhealthy, refused               | FAILED                       | FAILED                |
/// | went back: unconfirmed                      | WAITING, next attempt        | WAITING, next attempt |
/// | whose step took too long                    | FAILING, or FAILED           | unreachable           |
///
/// Start reading at: [Rollout], [RolloutEvent], [RolloutTransitions], [ForwardSteps].
@NullMarked
package keyfleet.rollout.controller;

import org.jspecify.annotations.NullMarked;
