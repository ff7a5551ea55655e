/// Envelope encryption: seals a value under a fresh data key (DEK), and wraps the DEK with a
/// key-encryption key (KEK) of one version. Rewrapping moves the DEK to another version and leaves
/// the data bytes unchanged.
///
/// Start reading at: [EnvelopeCipher], [Envelope], [SoftwareKek], [Sentinel].
///
/// Pure: no clock, no I/O, no threads, no log; the caller passes randomness in. Every type is safe
/// for use by several threads. This package does not know which version is active (the keystore
/// does) or where the bytes of a KEK are (the provider does).
///
/// ## Envelope, format 1
///
/// Integers are big-endian. The KEK version has a fixed offset, so that a store can read it.
///
/// | offset | bytes | what                                                              |
/// |--------|-------|-------------------------------------------------------------------|
/// | 0      | 4     | magic `EB 4B 46 45` (`EB`, then `KFE`): never valid UTF-8         |
/// | 4      | 1     | format, `01`                                                      |
/// | 5      | 1     | suite, `01`                                                       |
/// | 6      | 4     | KEK version, 1 to 2^31 - 1                                        |
/// | 10     | 2     | length of the wrapped DEK, w, 1 to 4,096                          |
/// | 12     | w     | wrapped DEK: opaque here, made and read by the KEK                |
/// | 12 + w | rest  | the data, sealed under the DEK as below; at least 80 bytes        |
///
/// ## Suite 1: a message under a derived key
///
/// A sealed message ([DerivedKeyAead]) is `salt (32) | commitment (32) | ciphertext | tag (16)`.
/// HKDF-SHA-512 over the key, with the salt and `info = "keyfleet" | suite | purpose`, gives 64
/// bytes: the first half is an AES-256-GCM key for this one message, the second half the
/// commitment. The commitment is compared before anything is decrypted, so that no message opens
/// under two keys. The key is used once, hence the GCM nonce is fixed at zero. The purpose is
/// `data` for a value under its DEK, and `wrap` for a DEK in form 1.
///
/// ## A DEK under a software KEK
///
/// Form 2 is `02 | sealed message`, 113 bytes. Only the derivation of the 64 bytes differs from
/// suite 1: the extract step of HKDF-SHA-512 runs once for each KEK, with the salt
/// `keyfleet-wrap-2`, and the expand step for each message, with the salt of the message as `info`.
/// Form 1, a message of suite 1 with the purpose `wrap`, 112 bytes, is still read but no longer
/// written.
///
/// ## Additional data
///
/// The additional data is a list of items, each after its length in four bytes, so that no two
/// lists have the same encoding.
///
/// | item       | wrap | data | bytes                                        |
/// |------------|------|------|----------------------------------------------|
/// | product    | yes  | yes  | `keyfleet-envelope-1` (the format's number)  |
/// | suite      | yes  | yes  | one byte                                     |
/// | keyring    | yes  | yes  | ASCII                                        |
/// | version    | yes  | no   | four bytes                                   |
/// | collection | yes  | yes  | UTF-8                                        |
/// | record id  | yes  | yes  | UTF-8                                        |
/// | field      | yes  | yes  | UTF-8                                        |
///
/// The data is not bound to the version, so that a rewrap can keep its bytes. The wrap is bound to
/// it, so an envelope with an edited version does not open.
@NullMarked
package keyfleet.crypto;

import org.jspecify.annotations.NullMarked;
