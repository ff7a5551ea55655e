/// Envelope encryption: a value is sealed under a fresh data key (DEK), and the DEK is wrapped by a
/// key-encryption key (KEK) of one version. Rewrapping moves the DEK to another version and leaves
/// the data bytes alone.
///
/// Pure: no clock, no I/O, no threads, no log; randomness is passed in. Every type here may be used
/// by several threads at once. It does not know which version is active (that is the keystore's
/// word) nor where a KEK's bytes live (that is the provider's).
///
/// ## Envelope, format 1
///
/// Integers are big-endian. The KEK version stands at a fixed offset, so that a store can read it.
///
/// | offset | bytes | what                                                              |
/// |--------|-------|-------------------------------------------------------------------|
/// | 0      | 4     | magic `EB 4B 46 45` (`EB`, then `KFE`): never valid UTF-8         |
/// | 4      | 1     | format, `01`                                                      |
/// | 5      | 1     | suite, `01`                                                       |
/// | 6      | 4     | KEK version, 1 to 2^31 - 1                                        |
/// | 10     | 2     | length of the wrapped DEK, w, 1 to 4,096                          |
/// | 12     | w     | wrapped DEK: opaque here, made and read by the KEK                |
/// | 12 + w | rest  | the data, as a box (below) under the DEK; at least 80 bytes       |
///
/// ## Suite 1: the box
///
/// A box is `salt (32) | commitment (32) | ciphertext | tag (16)`. HKDF-SHA-512 over the key, with
/// the salt and `info = "keyfleet" | suite | purpose`, gives 64 bytes: the first half is an
/// AES-256-GCM key for this one message, the second half the commitment. The commitment is compared
/// before anything is decrypted, so that no box opens under two keys. The key is used once, hence
/// the GCM nonce is fixed at zero. Purpose is `data` for a value under its DEK, `wrap` for a DEK in
/// form 1.
///
/// ## A DEK under a software KEK
///
/// Form 2 is `02 | box`, 113 bytes. The box is as above, but for how its 64 bytes are derived: the
/// first step of HKDF-SHA-512 is done once for each KEK, with the salt `keyfleet-wrap-2`, and the
/// second for each box, with the box's salt as `info`. Form 1, a box of suite 1 with purpose
/// `wrap`, 112 bytes, is read and no longer written.
///
/// ## What is bound
///
/// Additional data is a list of items, each behind its length in four bytes, so no two lists encode
/// alike.
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
/// The data is not bound to the version: that is what lets a rewrap keep its bytes. The wrap is, so
/// an envelope whose version was edited does not open.
@NullMarked
package keyfleet.crypto;

import org.jspecify.annotations.NullMarked;
