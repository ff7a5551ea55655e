/// The `secret` commands: keep small values sealed in a collection that rotates like any other.
///
/// Start reading at: [SecretPutCommand], [SecretWriter], [SecretSealer], [SecretCollection].
@NullMarked
package keyfleet.cli.secret;

import org.jspecify.annotations.NullMarked;
