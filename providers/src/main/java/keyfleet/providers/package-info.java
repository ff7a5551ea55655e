/// Providers: where the KEKs of a keyring are stored, and how a process loads them. A provider
/// belongs to one keyring. It never decides which version to use.
///
/// Start reading at: [KekProvider], [ProviderSpec], [RemoteCallPolicy].
///
/// | provider    | key of a version                                             | new version without restart |
/// |-------------|--------------------------------------------------------------|-----------------------------|
/// | `env`       | variable `KEYFLEET_KEK_V<N>` or `KEYFLEET_KEK_<RING>_V<N>`   | no                          |
/// | `file`      | file `<ring>.v<N>.key` in a folder, mode 0400 or 0600        | yes                         |
/// | `pkcs11`    | token key labelled `keyfleet-<ring>-v<N>`, not extractable   | yes                         |
/// | `vault`     | version N of one Transit key of OpenBao or Vault             | yes                         |
/// | `simulated` | as `file`, with the latency and rate limit of a remote added | yes                         |
///
/// The sub-packages `file`, `pkcs11` and `vault` hold one kind each. Only [ProviderSpec] names
/// them. The kind `awskms` is a module of its own, because it brings an SDK. A remote is called on
/// the thread of the caller, within the limits of [RemoteCallPolicy]. ADR 11 says which key of a
/// remote is which version.
///
/// Callers may use the KEKs from any thread, and call `load` from one thread at a time.
@NullMarked
package keyfleet.providers;

import org.jspecify.annotations.NullMarked;
