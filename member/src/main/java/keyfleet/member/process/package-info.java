/// What every long-running process of a fleet needs: events for its operator.
///
/// Start reading at: [ProcessEvent].
@NullMarked
package keyfleet.member.process;

import org.jspecify.annotations.NullMarked;
