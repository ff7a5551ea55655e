/// The ports of `store` on PostgreSQL 12 or later, through its JDBC driver and a pool of
/// connections. [PostgresEngine] is the entrance; all else is its own.
///
/// ## Address
///
/// `postgresql://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?NAME=VALUE&…`. Of several hosts the
/// primary is used, and looked for again when it is lost.
///
/// | parameter       | meaning                                                                       |
/// |-----------------|-------------------------------------------------------------------------------|
/// | `sslmode`       | `verify-full` (default), `verify-ca`, `require` (encrypted, to whomever), `disable` (default if all hosts are loopback addresses) |
/// | `sslrootcert`   | PEM file of the CA that vouches for the server; without it, those that the JVM trusts |
/// | `sslcert`, `sslkey` | PEM files (key: PKCS #8) of a client's certificate                        |
/// | `password-file` | file with the password, mode 0600 or 0400, of this user or of root; else the password is in the URL, or where the driver looks (`~/.pgpass`) |
/// | `schema`        | where the tables below are, `keyfleet` by default                             |
/// | `pool`          | most connections for statements, 8 by default; watches have one more          |
///
/// ## Tables
///
/// Made at the first opening, for which the role needs `CREATE` on the database (or on the schema,
/// if that is there); afterwards `USAGE` on the schema and its sequence, and reading and writing.
///
/// | table      | columns                                                                            |
/// |------------|------------------------------------------------------------------------------------|
/// | `meta`     | name, value: `schema_version`                                                      |
/// | `buckets`  | name, lifetime (ms), swept_at                                                      |
/// | `kv`       | bucket, key (order of bytes), revision, written_at (ms), value                     |
/// | `fences`   | table_schema, table_name, incarnation, epoch, writable, body (digest of the function) |
/// | `revisions` | the sequence of all revisions                                                     |
///
/// Per fenced table of an application: a function `fence_…` in the schema, and the trigger
/// `keyfleet_fence` (by the schema's name) on the table. For that the role owns the table.
///
/// ## Durability
///
/// Each session sets `synchronous_commit` to `on` (`remote_apply` is left), so an answer waits for
/// the disk, and for the synchronous standbys if there are any. `fsync` or `full_page_writes` off
/// is a failed check, and so is a connection to another host in the clear; standbys without
/// synchronous replication are a warning. Refused: a standby, a version below 12, a schema of
/// another version.
///
/// ## How a failure ends
///
/// | what                                                       | ending                             |
/// |------------------------------------------------------------|------------------------------------|
/// | no connection from the pool in time                        | [keyfleet.store.StoreException]    |
/// | serialization failure, deadlock                            | sent again, ten times              |
/// | any other error that the server told and that leaves the session alive | [keyfleet.store.StoreException] |
/// | silence, a lost connection, a server that goes down        | [keyfleet.store.Unknown]; of a read, [keyfleet.store.StoreException] |
///
/// [PostgresTimeouts] has all the times. A lost connection makes the pool replace all of its
/// connections.
///
/// ## Threads
///
/// Any thread may call. The engine has two virtual threads of its own, one that listens for hints
/// and one that sends them, and those of the pool; closing ends them.
///
/// ## Records
///
/// The table is found on the role's search path when it is asked for. It is an ordinary or a
/// partitioned, permanent table; its id is `text`, `varchar`, `uuid`, `bigint` or `integer` and
/// unique; its sealed columns are `bytea`. A scan goes in the order of the id's index and reads the
/// heads of the sealed columns; an index on an expression is not needed.
@NullMarked
package keyfleet.postgres;

import org.jspecify.annotations.NullMarked;
