/// The audit of keystore changes: a chain of hashed entries, one for each change.
///
/// Start reading at: [AuditedKeystoreStore] (writes an entry with each change), [AuditEntry] (what
/// an entry says), [AuditReader] (reads and verifies the chain).
///
/// [AuditedKeystoreStore] writes the entry of a change inside the changed keystore, by the same
/// compare-and-set, and then copies it into the bucket `audit` (ADR 8). The key is
/// `<keyring>.<number>`; an entry is created and never changed. [AuditVerifier] follows the chain
/// from the first entry to the one in the keystore, and compares the changes on the way with the
/// keystore as it is now ([KeystoreFacts]).
///
/// [AuditHash] hashes each field of an entry. The text of a field is therefore part of the stored
/// format: neither [AuditSummary] nor [KeystoreFacts] may change a word.
@NullMarked
package keyfleet.control.audit;

import org.jspecify.annotations.NullMarked;
