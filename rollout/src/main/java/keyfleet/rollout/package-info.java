/// Which software may run where, and in which order it gets there: targets choose nodes, releases
/// say who may take them, preflight sorts the inventory, a plan freezes the batches.
///
/// Pure: no clock, no randomness, no I/O, no threads, no log; `now` and the seed are arguments.
/// Every public type is immutable and may be used by several threads at once. It sends nothing and
/// stores nothing (that is `control`'s), touches no artifact (that is the watchdog's), and
/// authorises nobody: facts are the nodes' own words. Bad input from people is a sealed result; a
/// value that breaks its type's rule is an `IllegalArgumentException`.
///
/// ## The target language
///
/// Salt's, made strict: a text is a target or an error with its position, never an empty set.
///
/// ```
/// target  = and { "or" and } ;
/// and     = unary { "and" unary } ;
/// unary   = "not" unary | "(" target ")" | word ;
/// word    = glob | "E@" regex | "L@" id { "," id } | "G@" key ":" { key ":" } glob ;
/// glob    = piece { piece } ;
/// piece   = "*" | "?" | "[" [ "!" ] member { member } "]" | character ;
/// member  = character [ "-" character ] ;
/// ```
///
/// Words end at white space, and at a parenthesis that is not part of them. A parenthesis is part
/// of a word behind its prefix if it closes there, as in `E@web(1|2)`. In `'...'` every character
/// is plain, and `''` is one quote; a quoted `'and'` is a glob. Any other letters before an `@` are
/// an unknown prefix. A target has at most 4,096 characters, a nesting of 64 and regexes of 512
/// characters that unroll to 1,000 steps.
///
/// | word | takes a node if                                                                     |
/// |------|-------------------------------------------------------------------------------------|
/// | glob | the whole id fits, upper and lower case differ; `*` crosses dots and slashes        |
/// | `E@` | the whole id fits the RE2 expression; no lookaround, backreferences or flags         |
/// | `L@` | the id is in the list                                                               |
/// | `G@` | a value of the fact fits, upper and lower case alike; `key:*` if it has any value   |
///
/// `G@a:b:c` is `c` at the path `a.b` or, if the node does not know that path, `b:c` at `a`. If it
/// knows neither, the answer is UNKNOWN, also for `key:*`. A node says "I have none" by an empty
/// list, to which the answer is NO.
///
/// ## Three values
///
/// Kleene's logic. A rollout takes the YES, leaves out the NO, and excludes and lists the UNKNOWN.
/// So a node whose fact is missing is not taken by `G@x:1`, nor by `not G@x:1`.
///
/// | a       | b       | a and b | a or b  | not a   |
/// |---------|---------|---------|---------|---------|
/// | YES     | YES     | YES     | YES     | NO      |
/// | YES     | NO      | NO      | YES     | NO      |
/// | YES     | UNKNOWN | UNKNOWN | YES     | NO      |
/// | NO      | YES     | NO      | YES     | YES     |
/// | NO      | NO      | NO      | NO      | YES     |
/// | NO      | UNKNOWN | NO      | UNKNOWN | YES     |
/// | UNKNOWN | YES     | UNKNOWN | YES     | UNKNOWN |
/// | UNKNOWN | NO      | NO      | UNKNOWN | UNKNOWN |
/// | UNKNOWN | UNKNOWN | UNKNOWN | UNKNOWN | UNKNOWN |
///
/// ## What is signed and hashed
///
/// A list of items, each behind its length in four bytes; integers are big-endian; a list inside
/// goes behind an item with its count in four bytes. The first item names the format, so that no
/// signature serves for another.
///
/// | format                 | items after it                                                      |
/// |------------------------|---------------------------------------------------------------------|
/// | `keyfleet-manifest-1`  | component, version, platform, sha256 (32 bytes), size (8), min      |
/// |                        | protocol (4), allowed-from (list), expiry in seconds (8), counter (8) |
/// | `keyfleet-downgrade-1` | manifest digest (32 bytes), floor (8)                               |
/// | `keyfleet-order-1`     | seed, node id                                                       |
/// | `keyfleet-inventory-1` | each node by id: id, presence, report, facts (a count, then paths   |
/// |                        | with their values)                                                  |
/// | `keyfleet-plan-1`      | manifest digest, target, canaries (list), batches (a count, then    |
/// |                        | lists), offline (list), excluded with reasons (list); if domains are |
/// |                        | limited, their fact and how many a batch (4)                        |
///
/// ## Preflight
///
/// The first row that fits a node decides; nothing after it is asked.
///
/// | a node that                              | goes to                                  |
/// |------------------------------------------|------------------------------------------|
/// | the target does not take                 | nowhere                                  |
/// | is held back                             | excluded                                 |
/// | has an unreadable status                 | refuses the rollout                      |
/// | has an unknown fact                      | excluded                                 |
/// | is offline                               | the offline lane, checked when it returns |
/// | has rolled the release back              | excluded, unless in a later attempt      |
/// | is degraded (unless those are included)  | excluded                                 |
/// | is not of the release's platform         | excluded                                 |
/// | runs a version that it is not allowed from | excluded                               |
/// | is none of these                         | eligible                                 |
///
/// If nobody is eligible the rollout is refused; likewise if an eligible node's protocol is below
/// the release's. Each node is asked the same again when its turn comes, as it may have been away
/// meanwhile, and is then excluded alone.
///
/// ## A rollout
///
/// [Rollout] is where a rollout stands. Whoever drives it feeds it what it observes, stores the
/// outcome by compare-and-set, and only then tells each node what [Rollout#desired] derives from
/// it. Where a node stands is its [Standing]; nodes that went the usual way are not listed, which
/// keeps the record of ten thousand nodes small. A rollout holds no time, only its driver does, in
/// an [Outlook] that dies with it.
///
/// ```
/// Created   --Claimed----------> Rolling     its first driver
/// Created   --PauseOrdered-----> Paused
/// Created   --AbortOrdered-----> Aborted     nobody was told anything
/// Created   --RollbackOrdered--> RolledBack
/// Created   --WentBack---------> Paused      the store has lost decisions (R24)
/// Rolling   --WentBack---------> Paused
/// Rolling   --Observed---------> Paused      a node lacked the artifact (R14)
/// Rolling   --Observed---------> Aborting    too many nodes failed, or one canary
/// Rolling   --Observed---------> Completed
/// Rolling   --PauseOrdered-----> Paused
/// Rolling   --AbortOrdered-----> Aborting
/// Rolling   --AbortOrdered-----> Aborted     nobody has to come back
/// Rolling   --RollbackOrdered--> Aborting
/// Rolling   --RollbackOrdered--> RolledBack  nobody has to come back
/// Paused    --ResumeOrdered----> Rolling
/// Paused    --Observed---------> Aborting
/// Paused    --AbortOrdered-----> Aborting
/// Paused    --AbortOrdered-----> Aborted
/// Paused    --RollbackOrdered--> Aborting
/// Paused    --RollbackOrdered--> RolledBack
/// Aborting  --Observed---------> Aborted     all who were told to go forward have gone back
/// Aborting  --Observed---------> RolledBack  and the confirmed, too
/// Aborting  --RollbackOrdered--> RolledBack
/// Aborted   --RollbackOrdered--> Aborting    to revert what was confirmed
/// Aborted   --RollbackOrdered--> RolledBack
/// Completed --RollbackOrdered--> Aborting
/// Completed --RollbackOrdered--> RolledBack
/// ```
///
/// What an observation brings, the mere passing of time may bring, or a node that an operator
/// forgets or another rollout has, or the claim of a new driver where a rollout stops. The lines
/// above are checked against what random walks do.
///
/// | a node of the plan                        | if it beats                 | if it is silent        |
/// |-------------------------------------------|-----------------------------|------------------------|
/// | whose batch is on, or that was left behind | PREPARING, if there is room | unreachable            |
/// | PREPARING, and says STAGED                | APPLYING, if there is room  | unreachable            |
/// | APPLYING, and says SOAKED                 | CONFIRMING                  | CONFIRMING             |
/// | that has gone back: unhealthy, refused    | FAILED                      | FAILED                 |
/// | that has gone back: unconfirmed           | WAITING, next attempt       | WAITING, next attempt  |
/// | whose step took too long                  | FAILING, or FAILED          | unreachable            |
///
/// ## A node
///
/// [Node] is where a node stands with its task. Its watchdog feeds it events, writes the outcome to
/// its journal, and does what [Node#work] derives from it. An order is named by its goal, or
/// ANOTHERS if it is of another rollout. OVERDUE is any event at all once the confirm deadline has
/// come: nothing is asked before it (I4).
///
/// ```
/// Idle        == STAGED, APPLIED ==========> Preparing    a task begins
/// Idle        == ROLLED_BACK, REVERTED ====> RolledBack   aborted before it was heard of
/// Preparing   == Fetched ==================> Staged       the rules accept it
/// Preparing   == Fetched, FetchFailed =====> RollingBack  the rules refuse it; it cannot be had
/// Preparing   == Fetched, FetchFailed =====> RolledBack   as it is kept, nothing is discarded
/// Preparing   == ROLLED_BACK, REVERTED ====> RollingBack  what was fetched is discarded
/// Preparing   == ROLLED_BACK, REVERTED ====> RolledBack
/// Preparing   == ANOTHERS =================> RollingBack  nobody will take it back (R4)
/// Preparing   == ANOTHERS =================> RolledBack
/// Staged      == APPLIED ==================> Applying     the deadline is set
/// Staged      == STAGED, APPLIED ==========> Preparing    of a later attempt
/// Staged      == ROLLED_BACK, REVERTED ====> RollingBack  what was staged is discarded
/// Staged      == ROLLED_BACK, REVERTED ====> RolledBack
/// Staged      == ANOTHERS =================> RollingBack  likewise
/// Staged      == ANOTHERS =================> RolledBack
/// Applying    == Swapped ==================> Soaking
/// Applying    == Judged ===================> RollingBack  the rules refuse it by now
/// Applying    == ROLLED_BACK, REVERTED ====> RollingBack
/// Applying    == OVERDUE ==================> RollingBack
/// Soaking     == Probed ===================> Soaked       ready for the whole soak, without a break
/// Soaking     == Probed ===================> RollingBack  the release is bad
/// Soaking     == ROLLED_BACK, REVERTED ====> RollingBack
/// Soaking     == OVERDUE ==================> RollingBack
/// Soaked      == CONFIRMED ================> Confirmed
/// Soaked      == Probed ===================> RollingBack  it went bad late
/// Soaked      == ROLLED_BACK, REVERTED ====> RollingBack
/// Soaked      == OVERDUE ==================> RollingBack
/// RollingBack == Retreated ================> RolledBack
/// RollingBack == Retreated ================> Reverted     if it had been confirmed
/// Confirmed   == REVERTED =================> RollingBack
/// RolledBack  == STAGED, APPLIED ==========> Preparing    of a later attempt
/// ```
///
/// From Confirmed, RolledBack and Reverted another rollout begins as from Idle; one that the node
/// knows already is taken up where it ended. The lines above are checked against what random walks
/// do within one rollout.
@NullMarked
package keyfleet.rollout;

import org.jspecify.annotations.NullMarked;
