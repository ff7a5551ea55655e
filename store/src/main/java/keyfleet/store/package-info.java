/// The ports through which Keyfleet uses a database: [Kv] for coordination and [Records] for sealed
/// records. Engines implement these ports; the modules above do not know which engine they use.
///
/// Every method may block on the network, and several threads may call it at once. Callers pass no
/// clock: an age is a difference of two [StoreTime] values, which come from the store.
///
/// ## What each method of Kv guarantees
///
/// | method      | guarantee                                                                       |
/// |-------------|---------------------------------------------------------------------------------|
/// | `get`       | linearizable per key: read from the leader, sees every write acknowledged before |
/// | `create`    | of all calls that race for an absent key, one is `Written`                      |
/// | `update`    | of all calls that race from one revision, one is `Written`                      |
/// | `put`       | last write wins; never `Conflict`                                               |
/// | `delete`    | removes that revision or nothing                                                |
/// | `list`      | each entry as `get` would give it at some moment of the call, in ASCII key order; not a snapshot of all keys together; the same when entries are passed to a consumer one by one |
/// | `watch`     | hints only: they may be late, duplicated or lost, so a reader also lists periodically |
/// | `storeTime` | never less than an earlier answer, nor than the time of an entry read before     |
///
/// A key's revisions only rise, across deletion and expiry too: a revision never returns with other
/// bytes. Revisions of two keys cannot be compared.
///
/// An entry of an expiring bucket is gone once its age *by store time* reaches the lifetime, for
/// `get`, `list`, `create` and `update` alike, however late the engine sweeps. Each write starts a
/// new lifetime. Expiry produces no hint.
///
/// ## How calls end
///
/// | ending                     | meaning                                                          |
/// |----------------------------|------------------------------------------------------------------|
/// | `Written`, `Deleted`, …    | done, durable, visible to every later read                       |
/// | `Conflict`                 | the expectation was not met; nothing was changed                 |
/// | `Unknown`                  | no answer in time: the write may have happened, or may still happen |
/// | [StoreException]           | a read failed, or a write that certainly did not and will not happen |
/// | `IllegalArgumentException` | a bug in the caller                                              |
///
/// [ConditionalWrite] resolves an `Unknown` write: its value contains a nonce, so reading the same
/// bytes back proves that it happened. Sealed fields need no nonce, because each seal and each wrap
/// is random.
///
/// ## What each method of Records guarantees
///
/// | method          | guarantee                                                                   |
/// |-----------------|-----------------------------------------------------------------------------|
/// | `scan`          | a caller that pages by the last id sees each record that keeps the version throughout exactly once |
/// | `compareAndSet` | all sealed fields of a record change together, or none does                 |
/// | `compareAndSetAll` | results in the order of the changes; each record on its own, as above     |
/// | `census`        | one snapshot, from the leader                                               |
/// | `fence`         | on return no open transaction can evade it                                  |
/// | `replaceFence`  | the same; of all calls that race to replace one fence by different ones, one is `Raised` |
///
/// A record belongs to the lowest version among its sealed fields. The version inside each envelope
/// decides that, never a separate column. Where a collection has a version field, each insert and
/// each compare-and-set also writes that version there; a census counts the records in which it
/// differs. [Fence#isChangeAllowed] is the only definition of what the fence allows.
///
/// Start reading at: [Kv] and [Records], then [Bucket], [Entry] and [StoredRecord], then
/// [ConditionalWrite] and [Fence]. An engine's entry point is `keyfleet.store.engine.Engine`.
@NullMarked
package keyfleet.store;

import org.jspecify.annotations.NullMarked;
