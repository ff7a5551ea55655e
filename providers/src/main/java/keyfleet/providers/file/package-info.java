/// Key files: the `file` provider, which loads KEKs from files in one folder, and the rules for
/// files that hold a secret.
///
/// Other providers read their PIN or token through [SecretFileReader], so that one rule about
/// owners and modes holds for all secrets in files.
///
/// Start reading at: [FileProvider], [KeyFile], [SecretFileReader].
@NullMarked
package keyfleet.providers.file;

import org.jspecify.annotations.NullMarked;
