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
/// | `keyfleet-plan-1`      | manifest digest, target, canaries (list), batches (a count, then    |
/// |                        | lists), offline (list), excluded with reasons (list)                |
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
/// | is degraded (unless those are included)  | excluded                                 |
/// | is none of these                         | eligible                                 |
///
/// If nobody is eligible the rollout is refused; likewise if an eligible node's protocol is below
/// the release's.
@NullMarked
package keyfleet.rollout;

import org.jspecify.annotations.NullMarked;
