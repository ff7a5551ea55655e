/// The audit of a keyring: a chain of hashed entries for the keystore's changes, and one for each
/// writer of other entries.
///
/// Start reading at: [AuditedKeystoreStore] (writes an entry with each change), [AuditEntry] (what
/// an entry says), [AuditReader] (reads and verifies the chain).
///
/// [AuditedKeystoreStore] writes the entry of a change inside the changed keystore, by the same
/// compare-and-set, and then copies it into the bucket `audit` (ADR 8). The key is
/// `<keyring>.<number>`; an entry is created and never changed. [AuditVerifier] follows that chain
/// from the first entry to the one in the keystore, and compares the changes on the way with the
/// keystore as it is now ([KeystoreFacts]).
///
/// A writer creates the entries of its chain below the keystore entry that it has read, and each
/// change of the keystore ties the new ones (ADR 16): its entry names [AuditTie]s, which hold the
/// heads of the writers' chains. They are in the bucket `audit_ties`, under their digest.
///
/// [AuditHash] hashes each field of an entry. The text of a field is therefore part of the stored
/// format: neither [AuditSummary] nor [KeystoreFacts] may change a word.
@NullMarked
package keyfleet.control.audit;

import org.jspecify.annotations.NullMarked;
