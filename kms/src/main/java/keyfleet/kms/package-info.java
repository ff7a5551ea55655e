/// The KMS v2 plugin: what the API servers of a cluster ask to encrypt and decrypt, at a unix
/// socket. It is a member of its fleet as any process is, and needs the store for that alone: it
/// serves from its snapshot, its keys and its memory.
///
/// ## Who does what
///
/// | thread             | what it does                                                            |
/// |--------------------|-------------------------------------------------------------------------|
/// | `keyfleet-kms-…`   | event loops: [KmsGrpcService] answers from memory, and nothing there waits    |
/// | `keyfleet-kms-call`| virtual, one a call that needs the remote ([UnwrapCoalescer])                   |
/// | `keyfleet-keeper`  | [KeyReconciler]: takes over keystores, has local KEKs made, tries the remote   |
/// | `keyfleet-enlist`  | [FleetJoiner]: joins the fleet when the store lets it, and ends          |
/// | `keyfleet-beat-…`  | the member's rounds                                                     |
///
/// Only the keeper's thread changes what is announced: [AnnouncementStore] writes a
/// [PluginSnapshot] to the disk, then replaces the one [Announcement] that Status and Encrypt both
/// read.
///
/// ## What stands for what
///
/// | word         | meaning                                                                       |
/// |--------------|-------------------------------------------------------------------------------|
/// | key_id       | an activation of a version: SHA-256 of (keyring's id, version, epoch)         |
/// | local KEK    | 32 random bytes in memory, wrapped by the KEK that the key_id names           |
/// | annotation   | `local-kek.kms.keyfleet.dev`: the wrapped local KEK, stored with each object  |
/// | remote       | whoever holds the KEK: a provider, near or far                                |
///
/// ## What is bound to what
///
/// Lists of items, each behind its length, as in `keyfleet.crypto`; `id` is the keystore's random
/// one.
///
/// | what                | is sealed with                                                         |
/// |---------------------|------------------------------------------------------------------------|
/// | local KEK           | product, `kms-local-kek`, id, key_id                                   |
/// | key of one value    | product, `kms-dek`, id, key_id                                         |
/// | value               | product, `kms-value`, id, key_id, SHA-256 of its wrapped key           |
///
/// ## What ends in which answer
///
/// Status and Encrypt agree: both answer, or both refuse. There is no third way such as `healthz`
/// with bad words beside a key_id, since API servers would go on writing.
@NullMarked
package keyfleet.kms;

import org.jspecify.annotations.NullMarked;
