/// The `pkcs11` provider: KEKs that never leave a hardware token.
///
/// Three layers, each of which calls only those below it:
///
/// 1. [Pkcs11Provider], [Pkcs11Keyring], [Pkcs11Kek] and [Pkcs11DekCipher] know keyrings, KEK
///    versions and the wrapped-DEK format.
/// 2. [Pkcs11Token], [Pkcs11Module], [Pkcs11ModuleRegistry], [Pkcs11Login] and [Pkcs11ThreadPool]
///    keep the process connected: sessions, logins, restarts of the module, timeouts.
/// 3. [Cryptoki] and the other `Cryptoki…` types call the module's C functions. Only they touch
///    native memory.
///
/// Start reading at: [Pkcs11Provider], [Pkcs11Token], [Cryptoki].
@NullMarked
package keyfleet.providers.pkcs11;

import org.jspecify.annotations.NullMarked;
