/// The port `Kv` on NATS JetStream. `Records` is not offered: NATS keeps no records.
///
/// ## What it makes on a server
///
/// Each bucket is a stream that `nats kv` reads and writes too; `nats://HOST/WORD` puts `WORD-`
/// before each bucket's name, so that fleets can share an account.
///
/// | what           | where                                                                       |
/// |----------------|-----------------------------------------------------------------------------|
/// | bucket         | stream `KV_<bucket>`, subjects `$KV.<bucket>.>`, on file, one message a subject |
/// | lifetime       | `max_age` of the stream; also judged at each read, as the server sweeps late |
/// | key, value     | subject `$KV.<bucket>.<key>`, and the message on it                         |
/// | revision       | the message's sequence in the stream                                        |
/// | deleted key    | a message with `KV-Operation: DEL`, which runs out after ten minutes        |
/// | format, `WORD` | metadata `keyfleet-format` and `keyfleet-space` of the stream               |
/// | store time     | the clock of the leader of stream `KV_KEYFLEET`, which holds no message     |
///
/// A stream that is not ours, of another format, with other limits or with fewer copies than asked
/// for is refused, never changed. One that vanishes under a running engine is not made again.
///
/// ## How the guarantees are kept
///
/// | guarantee | by                                                                              |
/// |-----------|---------------------------------------------------------------------------------|
/// | `get` sees each acknowledged write | `STREAM.MSG.GET`, which the leader alone answers       |
/// | `list` too | names from the leader; values by direct gets, which count only if the replica says that it is as far as the leader was |
/// | one of many wins | `Nats-Expected-Last-Subject-Sequence`, checked by the leader before it proposes |
/// | `Conflict` is true | after each lost race the key is read: another's write may have been on its way and failed |
/// | `create` over a deleted key | the marker's sequence is expected, and taken by one        |
/// | no write arrives long after | nothing is buffered while the connection is down           |
/// | `watch`   | a consumer without memory; when it is silent or a number is left out it is made anew, then `Missed` |
///
/// A leader that is cut off from the others, or paused, may answer reads for some seconds before it
/// notices that there is a new one. Writes are safe from that, as they need the others. An update
/// that is on its way while its entry runs out may still land.
///
/// ## What is asked of a server
///
/// nats-server 2.11 or newer, JetStream, `max_payload` for the longest value, and `sync_interval:
/// always`: by default an acknowledged write is not yet on disk. It must be *seen* on each server
/// of the cluster (`monitor`), or *declared* (`sync_interval`); a monitor that shows otherwise
/// outweighs the declaration. `use=heartbeats` does without, and then no bucket that lasts can be
/// used.
///
/// | parameter       | meaning                                                                    |
/// |-----------------|----------------------------------------------------------------------------|
/// | `replicas`      | 1, 3 or 5 servers hold each write; 3 in a cluster, else 1                  |
/// | `monitor`       | `http://HOST:8222`, with commas: where each server shows how it syncs      |
/// | `sync_interval` | `always`: you vouch that every server is set so                            |
/// | `use`           | `heartbeats`: hold nothing that lasts                                      |
/// | `password-file`, `token-file`, `creds`, `nkey` | files that only their owner may read        |
/// | `tls`           | `true`; also if one of the following is there                              |
/// | `tls-ca`        | PEM: the authorities to trust, in place of the JDK's                       |
/// | `tls-cert`, `tls-key` | PEM: who we are; the key as PKCS #8                                  |
///
/// With TLS the server's certificate must name the host in the URL, and only hosts of the URL are
/// called; without, also those that the servers tell of.
///
/// One connection and a few threads serve any number of callers, on whose threads the calls block:
/// five seconds for an answer, one more while nobody serves a subject. Closing ends them all.
@NullMarked
package keyfleet.nats;

import org.jspecify.annotations.NullMarked;
