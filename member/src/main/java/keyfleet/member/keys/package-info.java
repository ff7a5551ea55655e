/// The KEKs that a process has loaded, what it can prove of them, and how often it uses them.
///
/// Start reading at: [LoadedKeys], [CryptoMetrics].
///
/// This package knows providers and cryptography. It knows nothing of heartbeats, stores or fleets.
@NullMarked
package keyfleet.member.keys;

import org.jspecify.annotations.NullMarked;
