/// Where KEKs live. A provider belongs to one keyring, loads its versions, and hands out KEKs that
/// wrap and unwrap; it never says which version to use.
///
/// | provider    | a version's key                                              | seen without a restart |
/// |-------------|--------------------------------------------------------------|------------------------|
/// | `env`       | variable `KEYFLEET_KEK_V<N>` or `KEYFLEET_KEK_<RING>_V<N>`    | no                     |
/// | `file`      | file `<ring>.v<N>.key` in a folder, mode 0400 or 0600        | yes                    |
/// | `pkcs11`    | token key labelled `keyfleet-<ring>-v<N>`, not extractable   | yes                    |
/// | `vault`     | version N of one Transit key of OpenBaoServer or Vault             | yes                    |
/// | `simulated` | as `file`, with the latency and rate limit of a remote added | yes                    |
///
/// `awskms` is a room of its own, as it brings an SDK. A remote is asked on the caller's thread,
/// with the manners of [RemoteCallPolicy]; which of its keys is which version, ADR 11 says.
///
/// Callers may use the KEKs from any thread, and call `load` from one thread at a time.
@NullMarked
package keyfleet.providers;

import org.jspecify.annotations.NullMarked;
