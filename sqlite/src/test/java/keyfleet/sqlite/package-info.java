/// Tests of the SQLite engine: the contract suites of `store`, and what only this engine has:
/// files, processes that share them, fence triggers and store time over reboots.
///
/// Start reading at: [SqliteKvTest], [SqliteRecordsTest], [SqliteProcessTest].
@NullMarked
package keyfleet.sqlite;

import org.jspecify.annotations.NullMarked;
