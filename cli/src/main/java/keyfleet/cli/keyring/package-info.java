/// The commands about keyrings as a whole and the collections that hold their records.
///
/// Start reading at: [KeyringListCommand], [CollectionUnregisterCommand].
@NullMarked
package keyfleet.cli.keyring;

import org.jspecify.annotations.NullMarked;
