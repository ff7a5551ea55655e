/// What every long-running process of a fleet needs, whatever it is for.
///
/// Start reading at: [ProcessEvent], [PeriodicTask].
///
/// | type             | content                                                       |
/// |------------------|---------------------------------------------------------------|
/// | [ProcessEvent]   | what the operator needs to know, once                         |
/// | [PeriodicTask]   | a step that runs repeatedly on its own thread                 |
/// | [ResourceStack]  | what the process closes at its end                            |
/// | [NonceGenerator] | names of runs and marks of writes                             |
@NullMarked
package keyfleet.member.process;

import org.jspecify.annotations.NullMarked;
