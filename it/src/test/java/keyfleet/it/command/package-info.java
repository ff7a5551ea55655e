/// Tests the `keyfleet` command as a user runs it: the launcher, its jars, and the transcripts.
///
/// Start reading at: [TranscriptTest], [LauncherTest].
@NullMarked
package keyfleet.it.command;

import org.jspecify.annotations.NullMarked;
