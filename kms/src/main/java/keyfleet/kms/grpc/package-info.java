/// Serves the KMS v2 contract at a unix socket: checks the peer and the request, answers from
/// memory, and hands calls that need the remote to virtual threads.
///
/// Start reading at: [KmsGrpcService], [EncryptHandler], [DecryptHandler], [UnixSocketServer].
///
/// Nothing waits on an event loop. [UnwrapCoalescer] runs what has to wait.
@NullMarked
package keyfleet.kms.grpc;

import org.jspecify.annotations.NullMarked;
