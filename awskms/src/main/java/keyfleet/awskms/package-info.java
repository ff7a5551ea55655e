/// The `awskms` provider: KEKs in AWS KMS, through the AWS SDK, which only this module uses.
/// Version N of a keyring is the KMS key that the alias `keyfleet-<ring>-v<N>` names; ADR 11 says
/// why.
///
/// Start reading at: [AwsKmsSpec], [AwsKmsProvider], [AwsKmsKek].
///
/// The retries of the SDK are off: [keyfleet.providers.RemoteCallPolicy] limits and repeats calls.
/// Callers may use the KEKs from any thread, and each call stays on that thread. `load` is called
/// from one thread at a time.
@NullMarked
package keyfleet.awskms;

import org.jspecify.annotations.NullMarked;
