/// The `audit` commands: list the audit of a keyring, and check that its chain is complete.
///
/// Start reading at: [AuditListCommand], [AuditVerifyCommand].
@NullMarked
package keyfleet.cli.audit;

import org.jspecify.annotations.NullMarked;
