/// Checks all modules against the architecture rules: class files with ArchUnit, and files,
/// comments and documents, which class files do not have, as texts.
///
/// Start reading at: [ArchitectureTest], [ArchitectureRule], [SourceRule].
@NullMarked
package keyfleet.it.architecture;

import org.jspecify.annotations.NullMarked;
