/// The ports of `store` on MongoDB, by its sync driver.
///
/// It asks of a server only what a single document's atomicity gives: no transactions, no change
/// streams, no partial indexes, no update pipelines. Every method may be called by several threads.
/// The contract suite runs on mongo-java-server 1.47.0 and, with `KEYFLEET_TEST_MONGODB` set to a
/// URL, on any real server. FerretDB is refused: of 615 compare-and-sets that 8 writers were told
/// had happened, 167 had (version 1.24).
///
/// ## Settings
///
/// `mongodb://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?…`; the database is `keyfleet` unless
/// named.
///
/// | parameter               | meaning                                                          |
/// |-------------------------|------------------------------------------------------------------|
/// | `replicaSet`            | its name; needed to follow a failover                            |
/// | `authSource`            | where the user is known, `admin` unless said                     |
/// | `password-file`         | holds the password; only its owner may read it                   |
/// | `tls`                   | `true` or `false`; hosts are checked by name                     |
/// | `tlsCAFile`             | PEM, whom to trust; without it whom the JDK trusts               |
/// | `tlsCertificateKeyFile` | PEM, our certificates and our PKCS#8 key                         |
///
/// Writes wait for a majority and the journal (`w: majority, j: true`). Reads go to the primary and
/// are linearizable: a primary that was deposed and does not know it cannot answer them. A server
/// without replica set knows no such reads and needs none. The driver repeats nothing by itself.
///
/// | step                              | limit |
/// |-----------------------------------|-------|
/// | connect                           | 3 s   |
/// | find the primary                  | 5 s   |
/// | wait for one of 64 connections    | 5 s   |
/// | server: a read, or a majority     | 8 s   |
/// | answer on the socket              | 10 s  |
///
/// ## How writes end
///
/// | what the driver throws                                        | ending           |
/// |---------------------------------------------------------------|------------------|
/// | no server found, no connection made or free, login refused    | `StoreException` |
/// | an error by which a server refuses before it acts (not primary, not allowed, malformed) | `StoreException` |
/// | connection lost, no answer in time, any other error           | `Unknown`        |
/// | no majority in time, primary gone while waiting for it        | `Unknown`        |
///
/// ## Collections it makes
///
/// | collection         | documents                                                             |
/// |--------------------|-----------------------------------------------------------------------|
/// | a bucket's name    | `{_id: key, rev, at, value}`; `gone` and `claim` as below             |
/// | `keyfleet.buckets` | `{_id: bucket, lifetime_ms, lives}`: 0 ms for entries that last       |
/// | `keyfleet.fences`  | `{_id: collection, incarnation, epoch, writable}`                     |
/// | `keyfleet.schema`  | `{_id: "schema", version: 1}`; another version is refused             |
///
/// An expiring bucket, `process_heartbeats` say, has a TTL index on `at`, a minute longer than its
/// lifetime; expiry itself is judged by store time at each call, as the server sweeps but once a
/// minute. A lasting bucket has one on `gone`, of an hour, and an index on `at`. A collection that
/// was there before is never taken for a bucket.
///
/// ## How revisions rise
///
/// A deleted entry leaves a document without value (`gone`), which pollers see and the next create
/// continues from: `rev` is one more. But the server sweeps such documents, and expired entries, at
/// times of its own, and then nothing at the key says how far its revisions had come. So a revision
/// is two numbers, a *life* above 32 bits and the writes within it below, and lives are counted for
/// the whole bucket, in `lives`:
///
/// ```
/// absent ──create──▶ claim {rev: 0, gone, claim: id} ──fill──▶ entry ──delete──▶ gone ──sweep──▶ absent
///                     └─ then lives + 1 is taken                └────create────┘
/// ```
///
/// A number taken *before* the document is made could be overtaken: while its taker sleeps, the key
/// may live, die and be swept under higher ones. Hence the claim comes first and the life is
/// counted after it: whatever the key had before is over by then, and has lower lives. The fill is
/// a compare-and-set on the claim's own id, so a taker who slept through another claim fills
/// nothing. Any creator fills any claim it finds; one of them wins.
///
/// ## Store time and watches
///
/// Entries are stamped by the server (`$currentDate`); `storeTime` is the primary's `localTime`,
/// never less than this client has seen. A change of an expiring entry is judged by the store time
/// read just before, so a refresh may win against an expiry of that same moment.
///
/// A watch asks every 400 ms for documents with a later `at`. It hints `Missed` after a lost
/// connection, a clock that went back, or more changes than it will name.
///
/// ## Records and fences
///
/// A sealed field is `{kv: <version>, ct: <envelope>}`, `ct` of binary subtype 0; the id is an
/// ObjectId or a string, in `_id` or a field with a unique index. Scans and censuses read every
/// envelope: `kv` is what a writer says, so a field whose `kv` is not its envelope's version counts
/// under the envelope's version, and as unreadable besides. A census is one pass over the ids, not
/// one snapshot; behind a fence its zeros are true, as no record returns to a version it left.
///
/// A survey fetches every document of every collection, with read concern `local`: it looks for
/// envelopes that nobody declared, and proves nothing. Fields more than ten deep are not looked at.
///
/// A fence is a validator set by `collMod`, at level `moderate` with action `error`, beside the
/// application's own; the exclusive lock that `collMod` waits for is the barrier. Whether a server
/// enforces validators is tried out on a scratch collection. Where it does not, the fence is
/// remembered and the answer is `Unenforced`.
///
/// | rule of `Fence.allows`                                   | held against any writer | against ours |
/// |----------------------------------------------------------|-------------------------|--------------|
/// | no insert outside the fence, or without `kv`             | yes, by `kv`            | yes          |
/// | no record inside the fence leaves it                     | yes, by `kv`            | yes          |
/// | a record outside may stay, and its other fields change   | yes                     | yes          |
/// | a record outside takes no third version, nor garbage     | no: the validator sees no earlier state | if it has seen the fence |
/// | `kv` tells the truth                                     | no: the census finds it | yes          |
///
/// `collMod` has no condition: one sent under a lower term can arrive after one of a higher.
/// Whoever raises a fence looks afterwards what is remembered and puts that in force, and so does
/// every census; a driver killed in that very moment leaves the lower fence until the next of
/// either. Rules of which an application wants only to be warned are left out while a fence stands.
@NullMarked
package keyfleet.mongodb;

import org.jspecify.annotations.NullMarked;
