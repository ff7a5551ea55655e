/// The KMS v2 plugin: the API servers of a cluster call it at a unix socket to encrypt and decrypt.
/// It is a member of its fleet like any other process, and needs the store only for that. It serves
/// calls from its snapshot, its keys and its memory.
///
/// Start reading at: [KmsPlugin], then `grpc.KmsGrpcService`, `state.KeyReconciler` and
/// `localkek.LocalKek`.
///
/// | package                  | content                                                              |
/// |--------------------------|----------------------------------------------------------------------|
/// | `keyfleet.kms`           | the plugin, its settings, events and metrics                         |
/// | `keyfleet.kms.grpc`      | the socket, the checks of peers and requests, Encrypt and Decrypt    |
/// | `keyfleet.kms.state`     | what the plugin announces, and the loop that follows the fleet       |
/// | `keyfleet.kms.localkek`  | keys in memory that seal values, and calls to the remote             |
/// | `keyfleet.kms.tracing`   | spans                                                                |
///
/// ## Threads
///
/// | thread               | task                                                                     |
/// |----------------------|--------------------------------------------------------------------------|
/// | `keyfleet-kms-…`     | event loops: `KmsGrpcService` answers from memory and never blocks       |
/// | `keyfleet-kms-call`  | virtual, one for each call that needs the remote (`UnwrapCoalescer`)     |
/// | `keyfleet-reconcile` | `KeyReconciler`: adopts keystores, has local KEKs made, probes the remote |
/// | `keyfleet-join`      | `FleetJoiner`: joins the fleet when the store answers, then ends         |
/// | `keyfleet-beat-…`    | the member's rounds                                                      |
///
/// Only the `keyfleet-reconcile` thread changes what is announced: `AnnouncementStore` writes a
/// `PluginSnapshot` to the disk, then replaces the one `Announcement` that Status and Encrypt read.
///
/// ## Words
///
/// | word         | meaning                                                                          |
/// |--------------|----------------------------------------------------------------------------------|
/// | key_id       | an activation of a version: SHA-256 of (keyring's id, version, epoch)            |
/// | local KEK    | 32 random bytes in memory, wrapped by the KEK that the key_id names              |
/// | annotation   | `local-kek.kms.keyfleet.dev`: the wrapped local KEK, stored with each object     |
/// | remote       | the provider that has the KEK, on this host or elsewhere                         |
///
/// ## Additional authenticated data
///
/// Lists of items, each after its length, as in `keyfleet.crypto`. `id` is the keystore's random
/// id.
///
/// | what                | is sealed with                                                            |
/// |---------------------|---------------------------------------------------------------------------|
/// | local KEK           | product, `kms-local-kek`, id, key_id                                      |
/// | key of one value    | product, `kms-dek`, id, key_id                                            |
/// | value               | product, `kms-value`, id, key_id, SHA-256 of its wrapped key              |
///
/// ## Answers
///
/// Status and Encrypt agree: both answer or both refuse. Status never returns an unhealthy
/// `healthz` together with a key_id, because API servers would keep writing under that key_id.
@NullMarked
package keyfleet.kms;

import org.jspecify.annotations.NullMarked;
