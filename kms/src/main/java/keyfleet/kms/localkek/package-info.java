/// Local KEKs: keys in memory that seal values, each wrapped by a remote KEK, with their cache,
/// their limits and the ciphertext that they make.
///
/// Start reading at: [LocalKek], [LocalKekFactory], [KmsCiphertext].
@NullMarked
package keyfleet.kms.localkek;

import org.jspecify.annotations.NullMarked;
