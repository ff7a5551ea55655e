/// Checks the sources of all modules against the architecture rules. Java is parsed, not compiled,
/// so that a rule sees names, comments and shapes as they are written.
///
/// Start reading at: [ArchitectureTest], [ArchitectureRule].
@NullMarked
package keyfleet.it.architecture;

import org.jspecify.annotations.NullMarked;
