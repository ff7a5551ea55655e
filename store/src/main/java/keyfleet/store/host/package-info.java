/// What a process takes from the machine it runs on: a clock that counts suspended time, files that
/// only their owner can read, certificates and keys for TLS, and text that is safe to print on a
/// terminal.
///
/// Start reading at: [BootClock], [PrivateFile], [TlsFiles].
@NullMarked
package keyfleet.store.host;

import org.jspecify.annotations.NullMarked;
