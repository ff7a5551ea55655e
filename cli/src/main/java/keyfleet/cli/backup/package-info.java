/// The `backup` command: copies a SQLite store while its fleet runs.
///
/// Start reading at: [BackupCommand].
@NullMarked
package keyfleet.cli.backup;

import org.jspecify.annotations.NullMarked;
