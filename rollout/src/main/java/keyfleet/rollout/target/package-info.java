/// The target language: which nodes an expression selects.
///
/// It is Salt's language with strict parsing: a text is a target or an error with its position,
/// never an empty set.
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
/// A word ends at white space, and at a parenthesis that is not part of it. A parenthesis after a
/// prefix is part of the word if it is closed there, as in `E@web(1|2)`. In `'...'` every character
/// is literal, and `''` stands for one quote; a quoted `'and'` is a glob. Any other letters before
/// an `@` are an unknown prefix. A target has at most 4,096 characters and a nesting of 64; a regex
/// has at most 512 characters and unrolls to at most 1,000 steps.
///
/// | word | selects a node if                                                                   |
/// |------|-------------------------------------------------------------------------------------|
/// | glob | the whole id matches, case-sensitive; `*` also matches dots and slashes             |
/// | `E@` | the whole id matches the RE2 expression; no lookaround, backreferences or flags     |
/// | `L@` | the id is in the list                                                               |
/// | `G@` | a value of the fact matches, ignoring case; `key:*` if the fact has any value       |
///
/// `G@a:b:c` is `c` at the path `a.b` or, if the node does not report that path, `b:c` at `a`. If
/// it reports neither, the result is UNKNOWN, also for `key:*`. A node reports that it has no value
/// with an empty list; then the result is NO.
///
/// ## Three values
///
/// The logic is Kleene's. A rollout includes the nodes with YES, ignores those with NO, and
/// excludes and lists those with UNKNOWN. So a node without the fact is selected neither by `G@x:1`
/// nor by `not G@x:1`.
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
/// Start reading at: [Target], [TargetParser], [TargetMatch].
@NullMarked
package keyfleet.rollout.target;

import org.jspecify.annotations.NullMarked;
