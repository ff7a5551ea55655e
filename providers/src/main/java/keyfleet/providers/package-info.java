/// Where KEKs live. A provider belongs to one keyring, loads its versions, and hands out KEKs that
/// wrap and unwrap; it never says which version to use.
///
/// | provider    | a version's key                                              | seen without a restart |
/// |-------------|--------------------------------------------------------------|------------------------|
/// | `env`       | variable `KEYFLEET_KEK_V<N>` or `KEYFLEET_KEK_<RING>_V<N>`    | no                     |
/// | `file`      | file `<ring>.v<N>.key` in a folder, mode 0400 or 0600        | yes                    |
/// | `pkcs11`    | token key labelled `keyfleet-<ring>-v<N>`, not extractable   | yes                    |
/// | `simulated` | as `file`, with the latency and rate limit of a remote added | yes                    |
///
/// Callers may use the KEKs from any thread, and call `load` from one thread at a time.
@NullMarked
package keyfleet.providers;

import org.jspecify.annotations.NullMarked;
