/// Replaces real ciphers and keys by cheap ones that hide nothing but refuse what real ones refuse.
/// A simulated run spends its time in the protocol, not in AES.
///
/// Start reading at: [FakeCipherProvider], [InMemoryKekProvider].
@NullMarked
package keyfleet.sim.cipher;

import org.jspecify.annotations.NullMarked;
