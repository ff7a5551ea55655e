/// The `vault` provider: KEKs in the Transit engine of OpenBao or HashiCorp Vault.
///
/// [VaultClient] sends requests with a token that it keeps fresh, and turns the server's state
/// (sealed, standby, overloaded) into failures with a reason. [VaultKek] knows what Transit's
/// answers mean for one key version. Responses are read by [JsonResponse], which never turns a
/// secret into a `String`.
///
/// Start reading at: [VaultProvider], [VaultKek], [VaultClient].
@NullMarked
package keyfleet.providers.vault;

import org.jspecify.annotations.NullMarked;
