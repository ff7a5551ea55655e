/// The engine for PostgreSQL 12 or later: it implements the ports of `store` with the JDBC driver
/// and a connection pool. [PostgresEngine] is the only public type.
///
/// Start reading at:
/// - [PostgresEngine]: opens a database and checks it
/// - [PostgresKv] and [KvSql]: keys, values, revisions
/// - [PostgresRecords] and [RecordsSql]: an application's table
/// - [PostgresFence] and [FenceSql]: the fence trigger and its barrier
/// - [PostgresPool]: connections, and what a failed statement means
///
/// ## Address
///
/// `postgresql://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?NAME=VALUE&…`. With several hosts the
/// engine uses the primary, and looks for it again when it is lost.
///
/// | parameter       | meaning                                                                       |
/// |-----------------|-------------------------------------------------------------------------------|
/// | `sslmode`       | `verify-full` (default), `verify-ca`, `require` (encrypted, server not verified), `disable` (default for loopback addresses) |
/// | `sslrootcert`   | PEM file of the server's CA; without it, the CAs that the JVM trusts |
/// | `sslcert`, `sslkey` | PEM files (key: PKCS #8) of the client certificate                        |
/// | `password-file` | file with the password, mode 0600 or 0400, owned by this user or root; without it, the password of the URL or of `~/.pgpass` |
/// | `schema`        | schema of the tables below, `keyfleet` by default                             |
/// | `pool`          | maximum of connections for statements, 8 by default; watches use one more     |
///
/// ## Tables
///
/// The first opening creates them. For that the role needs `CREATE` on the database (or on the
/// schema, if it exists); afterwards `USAGE` on the schema and its sequence, and reading and
/// writing.
///
/// | table      | columns                                                                            |
/// |------------|------------------------------------------------------------------------------------|
/// | `meta`     | name, value: `schema_version`                                                      |
/// | `buckets`  | name, lifetime (ms), swept_at                                                      |
/// | `kv`       | bucket, key (order of bytes), revision, written_at (ms), value or document (JSON)  |
/// | `fences`   | table_schema, table_name, incarnation, epoch, writable, body (digest of the function) |
/// | `revisions` | the sequence of all revisions                                                     |
///
/// Each fenced table of an application has a function `fence_…` in the schema and the trigger
/// `keyfleet_fence` (named after the schema). To create them, the role must own the table.
///
/// ## Durability
///
/// Each session sets `synchronous_commit` to `on` (`remote_apply` stays), so a response waits for
/// the disk and for the synchronous standbys, if any. The check fails when `fsync` or
/// `full_page_writes` is off, and for an unencrypted connection to another host; standbys without
/// synchronous replication are a warning. The engine refuses a standby, a version below 12, and a
/// schema of another version.
///
/// ## Failures
///
/// | failure                                                    | result                             |
/// |------------------------------------------------------------|------------------------------------|
/// | no connection from the pool in time                        | [keyfleet.store.StoreException]    |
/// | serialization failure, deadlock                            | sent again, ten times              |
/// | any other error from the server after which the session lives | [keyfleet.store.StoreException] |
/// | no response, a lost connection, a server that shuts down   | [keyfleet.store.Unknown]; for a read [keyfleet.store.StoreException] |
///
/// [PostgresTimeouts] has all timeouts. After a lost connection the pool replaces all of its
/// connections.
///
/// ## Threads
///
/// Any thread may call. The engine has two virtual threads, one that listens for change hints and
/// one that sends them, and the threads of the pool; closing the engine ends them.
///
/// ## Records
///
/// The engine looks the table up on the role's search path. It must be a permanent table, ordinary
/// or partitioned; its id is `text`, `varchar`, `uuid`, `bigint` or `integer` and unique; its
/// sealed columns are `bytea`. A scan follows the id's index and reads only the heads of the sealed
/// columns; it needs no expression index.
@NullMarked
package keyfleet.postgres;

import org.jspecify.annotations.NullMarked;
