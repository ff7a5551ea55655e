/// The port `Kv` on NATS JetStream. It does not offer `Records`: NATS stores no records.
///
/// Start reading at: [NatsEngine], [NatsKv], then [NatsKeyReader], [NatsKeyWriter], [NatsLister]
/// and [NatsWatch].
///
/// ## What the engine creates on a server
///
/// Each bucket is a stream in the layout of `nats kv`, which can read and write it too. With
/// `nats://HOST/WORD` each bucket's name begins with `WORD-`, so that several fleets can share an
/// account.
///
/// | what           | where                                                                       |
/// |----------------|-----------------------------------------------------------------------------|
/// | bucket         | stream `KV_<bucket>`, subjects `$KV.<bucket>.>`, on file, one message a subject |
/// | lifetime       | `max_age` of the stream; also checked at each read, because the server sweeps late |
/// | key, value     | subject `$KV.<bucket>.<key>`, and its message                               |
/// | revision       | the message's sequence in the stream                                        |
/// | deleted key    | a message with `KV-Operation: DEL`, which expires after ten minutes         |
/// | format, `WORD` | metadata `keyfleet-format` and `keyfleet-space` of the stream               |
/// | store time     | the clock of the leader of stream `KV_KEYFLEET`, which has no messages      |
///
/// The engine refuses, and never changes, a stream of another owner or format, with other limits,
/// or with fewer replicas than required. It does not recreate a stream that is deleted while the
/// engine runs.
///
/// ## How the guarantees are kept
///
/// | guarantee | by                                                                              |
/// |-----------|---------------------------------------------------------------------------------|
/// | `get` sees each acknowledged write | `STREAM.MSG.GET`, which only the leader answers        |
/// | so does `list` | subjects from the leader; values by direct gets, which count only if the replica's sequence is at least the leader's |
/// | one of many racing writes wins | `Nats-Expected-Last-Subject-Sequence`, which the leader checks before it proposes |
/// | `Conflict` is true | after a lost race the key is read again: the other write may have been in flight and failed |
/// | `create` over a deleted key | expects the marker's sequence, which one write can replace    |
/// | no write arrives long after its call | nothing is buffered while the connection is down     |
/// | `watch`   | an ephemeral consumer; when it is silent or skips a number, a new one and the hint `Missed` |
///
/// A leader that is paused or cut off from the others may answer reads for some seconds before it
/// notices that there is a new leader. Writes are not affected, because they need the other
/// servers. An update that is in flight while its entry expires may still be applied.
///
/// ## What the engine requires of a server
///
/// nats-server 2.11 or newer, JetStream, `max_payload` for the longest value, and `sync_interval:
/// always`: by default an acknowledged write is not yet on disk. The setting must be *seen* on each
/// server of the cluster (`monitor`), or *declared* (`sync_interval`); a monitor that shows another
/// setting overrides the declaration. `use=heartbeats` does not require it, and then only expiring
/// buckets can be used.
///
/// | parameter       | meaning                                                                    |
/// |-----------------|----------------------------------------------------------------------------|
/// | `replicas`      | 1, 3 or 5 servers store each write; 3 in a cluster, else 1                 |
/// | `monitor`       | `http://HOST:8222`, separated by commas: the servers' monitoring endpoints |
/// | `sync_interval` | `always`: declares that every server has this setting                      |
/// | `use`           | `heartbeats`: only expiring buckets                                        |
/// | `password-file`, `token-file`, `creds`, `nkey` | files that only their owner may read        |
/// | `tls`           | `true`; also if one of the following is present                            |
/// | `tls-ca`        | PEM: the trusted authorities, instead of the JDK's                         |
/// | `tls-cert`, `tls-key` | PEM: the client's certificate, and its key as PKCS #8                |
///
/// With TLS the server's certificate must name the host in the URL, and the engine connects only to
/// the hosts of the URL; without TLS also to those that the servers announce.
///
/// Any number of threads may share the engine's one connection. A call blocks its thread for up to
/// five seconds for an answer, and one second more while no server serves the subject. Closing the
/// engine ends all its threads.
@NullMarked
package keyfleet.nats;

import org.jspecify.annotations.NullMarked;
