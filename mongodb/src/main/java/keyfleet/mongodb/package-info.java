/// The engine for MongoDB: it implements the ports of `store` with MongoDB's sync driver.
///
/// Start reading at:
/// - [MongoEngine]: opens a database and checks its server
/// - [MongoKv], [BucketDocuments] and [ValueBson]: keys, values, revisions
/// - [MongoRecords] and [RecordDocuments]: an application's collection
/// - [MongoFence] and [FenceValidator]: the fence and its validator
/// - [MongoErrors]: what an exception of the driver means for a read or a write
///
/// The engine needs only the atomicity of a single document: no transactions, no change streams, no
/// partial indexes, no update pipelines. Any thread may call every method. The contract suite runs
/// on mongo-java-server 1.47.0 and, with `KEYFLEET_TEST_MONGODB` set to a URL, on any real server.
/// The engine refuses FerretDB, by the version that it saw: 1.24 kept 167 of 615 compare-and-sets
/// that it acknowledged to 8 writers, 2.7 lost 295 of 300 raced upserts.
///
/// ## Settings
///
/// `mongodb://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?…`; the default database is `keyfleet`.
///
/// | parameter               | meaning                                                          |
/// |-------------------------|------------------------------------------------------------------|
/// | `replicaSet`            | its name; needed to follow a failover                            |
/// | `authSource`            | the database that knows the user, `admin` by default             |
/// | `password-file`         | file with the password; only its owner may read it               |
/// | `tls`                   | `true` or `false`; host names are checked                        |
/// | `tlsCAFile`             | PEM file of the server's CA; without it, the CAs of the JDK      |
/// | `tlsCertificateKeyFile` | PEM file with the client certificate and its PKCS#8 key          |
/// | `readPreference`        | `primary`, or `secondaryPreferred` for pages and lists           |
///
/// With `secondaryPreferred`, the reads of [MongoEngine#kvForPages] may go to a secondary that lags
/// at most 90 s, by the driver's estimate. All others, and the clock, stay on the primary, which
/// opening a store needs too.
///
/// Writes wait for a majority and the journal (`w: majority, j: true`). Reads go to the primary and
/// are linearizable: a deposed primary that does not know it yet cannot answer them. A server
/// without replica set does not support such reads and does not need them. The driver repeats
/// nothing.
///
/// | step                              | limit |
/// |-----------------------------------|-------|
/// | connect                           | 3 s   |
/// | find the primary                  | 5 s   |
/// | wait for one of 64 connections    | 5 s   |
/// | server: a read, or a majority     | 8 s   |
/// | response on the socket            | 10 s  |
///
/// ## Failures of writes
///
/// | what the driver throws                                        | result           |
/// |---------------------------------------------------------------|------------------|
/// | no server found, no connection possible or free, login refused | `StoreException` |
/// | an error with which a server refuses before it acts (not primary, not allowed, malformed) | `StoreException` |
/// | connection lost, no response in time, any other error         | `Unknown`        |
/// | no majority in time, primary lost while waiting for it        | `Unknown`        |
///
/// ## Collections that it creates
///
/// | collection         | documents                                                             |
/// |--------------------|-----------------------------------------------------------------------|
/// | a bucket's name    | `{_id: key, rev, at, value}`; `gone` and `claim` as below. In an expiring bucket `at` is named `last_heartbeat` |
/// | `keyfleet.buckets` | `{_id: bucket, lifetime_ms, lives}`: 0 ms for lasting entries         |
/// | `keyfleet.fences`  | `{_id: collection, incarnation, epoch, writable}`                     |
/// | `keyfleet.schema`  | `{_id: "schema", version: 2}`; another version is refused             |
///
/// A value that is a JSON document is a BSON document in `value`, which the shell shows and
/// searches: `db.process_heartbeats.find({"value.loaded_kek_versions": 2})`. A value whose bytes
/// are no such text, or that has a field name with a dot or a leading dollar, is binary. Either way
/// a reader gets the bytes that were written.
///
/// An expiring bucket, for example `process_heartbeats`, has a TTL index on `last_heartbeat`, one
/// minute longer than its lifetime. The server sweeps only once a minute, so each call checks the
/// expiry by store time. A lasting bucket has a TTL index on `gone`, of an hour, and an index on
/// `at`. A collection that existed before is never used as a bucket.
///
/// ## How revisions rise
///
/// A deleted entry leaves a tombstone, a document without value (`gone`). Pollers see it, and the
/// next create continues its revisions: `rev` is one more. But the server sweeps tombstones and
/// expired entries at any time, and then the key has no trace of its revisions. So a revision has
/// two numbers: above 32 bits a *life*, below it the writes within that life. Lives are counted for
/// the whole bucket, in `lives`:
///
/// ```
/// absent ──create──▶ claim {rev: 0, gone, claim: id} ──fill──▶ entry ──delete──▶ gone ──sweep──▶ absent
///                     └─ then lives + 1 is taken                └────create────┘
/// ```
///
/// A life taken *before* the document is created could be too low: while its client pauses, other
/// clients may create, delete and sweep the key with higher lives. So the client creates the claim
/// first and takes the life after it: everything that the key had before is over by then and has
/// lower lives. The fill is a compare-and-set on the claim's own id, so a client that paused until
/// another claim was made fills nothing. Every creator fills the claim that it finds; one of them
/// wins.
///
/// ## Store time and watches
///
/// The server stamps entries (`$currentDate`), so `last_heartbeat` is the server's time of the
/// beat. `storeTime` is the primary's `localTime`, never earlier than a time that this client has
/// seen. A change of an expiring entry is checked against the store time read just before, so a
/// refresh may win against an expiry at the same moment.
///
/// A watch polls every 400 ms for documents with a later stamp. It reports `Missed` after a lost
/// connection, a clock that went back, or too many changes.
///
/// ## Records and fences
///
/// A sealed field is `{kv: <version>, ct: <envelope>}`, `ct` of binary subtype 0. The id is an
/// ObjectId or a string, in `_id` or in a field with a unique index. Scans and censuses read every
/// envelope: `kv` is only a writer's claim. A field whose `kv` differs from its envelope's version
/// counts under the envelope's version and also as unreadable. A collection with a version field
/// has the record's lowest version at the top of the document too, as a number or null. A census is
/// one pass over the ids, not one snapshot; behind a fence its zeros are true, because no record
/// returns to a version it left.
///
/// An envelope scan fetches every document of every collection, with read concern `local`. It looks
/// for undeclared envelopes and proves nothing. It does not read fields nested more than ten deep.
///
/// A fence is a validator set by `collMod`, at level `moderate` with action `error`, beside the
/// application's own validator. On MongoDB, the exclusive lock that `collMod` waits for is the
/// barrier. The engine probes on a scratch collection whether the server enforces validators, and
/// whether a write that began before a `collMod` can become visible after it
/// ([ValidatorBarrierProbe]). On a server that fails either probe the fence is only stored, and the
/// result is `Unenforced`.
///
/// | rule of `Fence.isChangeAllowed`                          | enforced against any writer | against this engine |
/// |----------------------------------------------------------|-------------------------|--------------|
/// | no insert outside the fence, or without `kv`             | yes, by `kv`            | yes          |
/// | no record inside the fence leaves it                     | yes, by `kv`            | yes          |
/// | a record outside may stay, and its other fields change   | yes                     | yes          |
/// | a record outside takes no third version, nor garbage     | no: the validator sees no earlier state | if it has seen the fence |
/// | `kv` is the envelope's version                           | no: the census finds it | yes          |
///
/// `collMod` has no condition: that of an earlier fence can arrive after that of a later one. So
/// the driver reads the stored fence after raising one and installs that, and so does every census.
/// If a driver is killed between the two, the lower fence stays until the next raise or census.
/// While a fence is in place, an application's validator with action `warn` is left out.
@NullMarked
package keyfleet.mongodb;

import org.jspecify.annotations.NullMarked;
