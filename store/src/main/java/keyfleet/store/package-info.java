/// What Keyfleet asks of a database: [Kv] for coordination and [Records] for what is sealed.
/// Engines implement these ports; nothing above this room knows which one it talks to.
///
/// Every method may block on the network and may be called by several threads at once. The rooms
/// above pass no clock: ages are differences of [StoreTime], which the store tells.
///
/// ## What each method of Kv guarantees
///
/// | method      | guarantee                                                                       |
/// |-------------|---------------------------------------------------------------------------------|
/// | `get`       | linearizable per key: read from the leader, sees every write acknowledged before |
/// | `create`    | of all that race for an absent key, one is `Written`                            |
/// | `update`    | of all that race from one revision, one is `Written`                            |
/// | `put`       | last write wins; never `Conflict`                                               |
/// | `delete`    | removes that revision or nothing                                                |
/// | `list`      | each entry as `get` would give it at some moment of the call, in ASCII key order; not a snapshot of all keys together; the same for who is shown them one by one |
/// | `watch`     | hints only: they may be late, doubled or lost; so a reader also lists on a period |
/// | `storeTime` | never less than an earlier answer, nor than the time of an entry seen before     |
///
/// A key's revisions only rise, across deletion and expiry too: a revision once seen never comes
/// back with other bytes. Revisions of two keys say nothing about each other.
///
/// An entry of an expiring bucket is gone once its age *by store time* has reached the lifetime,
/// for `get`, `list`, `create` and `update` alike, however late the engine sweeps. Each write
/// starts a new lifetime. Expiry is not hinted.
///
/// ## How calls end
///
/// | ending                     | meaning                                                          |
/// |----------------------------|------------------------------------------------------------------|
/// | `Written`, `Deleted`, …    | done, durable, seen by every later read                          |
/// | `Conflict`                 | the expectation did not hold; nothing was changed                |
/// | `Unknown`                  | no answer in time: it may have happened, or may yet happen       |
/// | [StoreException]           | a read failed, or a write that surely did not and will not happen |
/// | `IllegalArgumentException` | a bug of the caller                                              |
///
/// [Attempt] finds out what became of an `Unknown` write: its value holds a nonce, so reading the
/// same bytes back proves that it happened. Sealed fields need none, as each seal and each wrap is
/// random.
///
/// ## What each method of Records guarantees
///
/// | method          | guarantee                                                                   |
/// |-----------------|-----------------------------------------------------------------------------|
/// | `scan`          | who pages by the last id sees each record that has the version throughout exactly once |
/// | `compareAndSet` | all sealed fields of a record change together, or none does                 |
/// | `compareAndSetAll` | answers in the order of the changes; each record by itself, as above      |
/// | `census`        | one snapshot, from the leader                                               |
/// | `fence`         | on return no open transaction can evade it                                  |
///
/// A record belongs to its lowest version. That is judged by the tag inside every sealed field,
/// never by a column beside them. What the fence allows is said once, in [Fence#allows].
@NullMarked
package keyfleet.store;

import org.jspecify.annotations.NullMarked;
