/// The ports of `store` on SQLite: a store in files of one machine, for several processes and no
/// server. [SqliteEngine] is the only public type; its description lists the files, the tables and
/// what the engine refuses.
///
/// | concern            | types                                                                                   |
/// |--------------------|-----------------------------------------------------------------------------------------|
/// | files              | [SqlitePaths], [FilesystemKind], [SqliteLockFile], [SqliteWriterQueue]                  |
/// | a database         | [SqliteDatabase] with its pool of [SqliteSession]s, [SqliteSchema], [SqliteErrors]      |
/// | the port Kv        | [SqliteKv], [SqliteKvDatabases], [SqliteBucketRegistry], [SqliteStoreClock], [SqliteExpirySweep] |
/// | watches            | [SqliteChangeLog], [SqliteWatchPoller]                                                  |
/// | the port Records   | [SqliteRecords], [SqliteTable], [SqliteFenceTriggers], [SqliteVersionTags]              |
/// | undeclared envelopes | [SqliteEnvelopeScanner]                                                               |
/// | backups            | [SqliteBackup]                                                                          |
///
/// Any thread may call. A call uses one of at most eight connections of its database; writers of
/// all processes queue at the lock file. The engine has two threads of its own: one polls the
/// change logs while there are watches, one waits in the kernel for the lock file.
///
/// Start reading at: [SqliteEngine], [SqliteKv], [SqliteRecords].
@NullMarked
package keyfleet.sqlite;

import org.jspecify.annotations.NullMarked;
