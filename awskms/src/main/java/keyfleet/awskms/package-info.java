/// KEKs in AWS KMS, through the AWS SDK, which nobody else needs to carry. Version N of a keyring
/// is the KMS key that the alias `keyfleet-<ring>-v<N>` names; ADR 11 says why.
///
/// The SDK's retries are off: [keyfleet.providers.RemoteCallPolicy] has the manners in which a
/// remote is asked, and its limits. Callers may use the KEKs from any thread, each call stays on
/// its own, and `load` is called from one thread at a time.
@NullMarked
package keyfleet.awskms;

import org.jspecify.annotations.NullMarked;
